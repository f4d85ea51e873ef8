import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_citation_has_what_the_format_requires():
    assert CITATION["cff-version"] == "1.2.0"
    for name in ("message", "title"):
        assert isinstance(CITATION[name], str)
        assert CITATION[name]
    assert CITATION["authors"] == [{"name": "The evoreplay contributors"}]
    assert CITATION["type"] == "software"


def test_it_says_what_the_project_says_of_itself():
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]


def test_the_paper_is_a_reference_with_all_its_authors():
    (paper,) = CITATION["references"]
    assert {"type", "title", "authors"} <= paper.keys()
    assert paper["title"] == (
        "Improving Task-free Continual Learning by Distributionally Robust Memory Evolution"
    )
    assert paper["year"] == 2022
    names = [f"{author['given-names']} {author['family-names']}" for author in paper["authors"]]
    assert names == [
        "Zhenyi Wang",
        "Li Shen",
        "Le Fang",
        "Qiuling Suo",
        "Tiehang Duan",
        "Mingchen Gao",
    ]

import re
from pathlib import Path

import pytest
import torch

from evoreplay.running.experiment_file import read_experiment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(language, page=ROOT / "README.md"):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


EXAMPLES = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(blocks("python", page))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_every_python_block_of_the_readme_and_the_docs_runs(code, capsys):
    with torch.random.fork_rng(devices=[]):
        exec(compile(code, "README", "exec"), {})
    assert capsys.readouterr().out


def test_the_experiment_file_of_the_readme_is_one(tmp_path):
    (text,) = blocks("yaml")
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    assert len(read_experiment(path)) == 18


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_and_files_that_a_page_names_exist(page):
    for name in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        assert (page.parent / name).exists(), name


def test_the_files_that_every_project_has_exist():
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
        assert (ROOT / name).exists()

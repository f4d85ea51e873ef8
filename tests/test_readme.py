import re
from pathlib import Path

import pytest
import torch

from evoreplay.running.experiment_file import read_experiment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"), ids=lambda code: code.split("\n")[3][:30])
def test_every_python_block_of_the_readme_runs(code, capsys):
    with torch.random.fork_rng(devices=[]):
        exec(compile(code, "README", "exec"), {})
    assert capsys.readouterr().out


def test_the_experiment_file_of_the_readme_is_one(tmp_path):
    (text,) = blocks("yaml")
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    assert len(read_experiment(path)) == 18


def test_pictures_and_files_that_the_readme_names_exist():
    for name in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / name).exists()
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
        assert (ROOT / name).exists()

import json

import pytest

from evoreplay.cli import main
from evoreplay.commands.reproduce import ATTACKS, FLOWS
from evoreplay.running.experiment_file import expand
from evoreplay.sweeps.grid import known_experiments

SMALL = ["--seeds", "1", "--workers", "1", "--set", "scale=0.1", "memory_size=20"]


def test_every_table_and_figure_of_the_paper_has_an_experiment_and_a_quick_one():
    known = set(known_experiments())
    tables = {"main", "carlini_wagner", "pgd", "evolution_steps", "cost", "beta", "tsne"}
    tables |= {"memory_size_cifar100", "memory_size_mini_imagenet"}
    tables |= {"alpha_cifar10", "alpha_cifar100", "alpha_mini_imagenet"}
    assert tables <= known
    families = {name.split("_cifar")[0].split("_mini")[0] for name in tables}
    assert {f"{family}_quick" for family in families} <= known
    assert set(ATTACKS) <= known


def test_reproduce_is_a_sweep_and_its_report(tmp_path, capsys):
    assert main(["reproduce", "tsne_quick", "--out", str(tmp_path / "out"), *SMALL]) == 0
    assert "2 of 2 runs done" in capsys.readouterr().out
    page = (tmp_path / "out" / "report.html").read_text()
    assert "er+ld" in page
    assert "Maps" in page or "t-SNE" in page


def test_a_table_under_attack_is_attacked_too(tmp_path, monkeypatch):
    # the real one needs CIFAR-10: the same table on digits
    digits = expand({"dataset": "digits", "method": "er"})
    monkeypatch.setattr("evoreplay.commands.sweep.experiment_configs", lambda name: digits)
    out = tmp_path / "out"
    assert main(["reproduce", "pgd_quick", "--out", str(out), *SMALL]) == 0
    (found,) = out.glob("*/robustness.json")
    curve = json.loads(found.read_text())["pgd"]["curve"]
    assert [round(255 * point["eps"]) for point in curve] == list(range(11))


def test_the_flows_in_the_plane_are_a_picture(tmp_path, capsys):
    assert main(["reproduce", FLOWS, "--out", str(tmp_path)]) == 0
    assert "wrote" in capsys.readouterr().out
    assert (tmp_path / "flows_2d.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mian"], "did you mean 'main'"),
        (["main", "--dataset", "cifar1"], "no run of the grid has dataset=cifar1"),
        ([FLOWS, "--dry-run"], "flows_2d has no runs to show"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, words, capsys):
    assert main(["reproduce", *arguments]) == 2
    assert words in capsys.readouterr().err

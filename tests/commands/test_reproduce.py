import json
import signal

import pytest

from evoreplay import Config, run
from evoreplay.cli import main
from evoreplay.commands.reproduce import ATTACKS, FLOWS
from evoreplay.running.experiment_file import expand
from evoreplay.running.interruption import Interrupted
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
    said = capsys.readouterr().out
    assert "2 of 2 runs done" in said
    assert "the results of 2 of 2 runs" in said
    page = (tmp_path / "out" / "report.html").read_text()
    assert "er+ld" in page
    assert "Maps" in page or "t-SNE" in page
    assert "not measured" not in (tmp_path / "out" / "report.md").read_text()


@pytest.fixture
def begun(tmp_path):
    """One of the two runs of an experiment, and one that is none of them."""
    for method, rate in (("er", 0.1), ("er+ld", 0.05)):
        settings = {"scale": 0.1, "memory_size": 20, "lr": rate, "recipe": "paper"}
        run(Config(method=method, **settings), out=tmp_path / "out")
    return tmp_path / "out"


def test_report_only_starts_nothing_and_says_what_is_not_measured(begun, capsys):
    before = sorted(begun.iterdir())
    arguments = ["reproduce", "tsne_quick", "--out", str(begun), *SMALL, "--report-only"]
    assert main(arguments) == 0
    assert "2 runs in 2 rows" in capsys.readouterr().out
    written = [begun / name for name in ("report.html", "report.md", "results.json")]
    assert sorted(begun.iterdir()) == sorted([*before, *written])
    # the run of another rate is a row of the folder, and none of the experiment
    text = written[1].read_text()
    assert "| er+ld lr=0.1 | 0 of 1 | not measured |" in text
    assert "| er+ld lr=0.05 | 1 |" in text
    (er,) = (path for path in before if "-er-" in path.name)
    assert json.loads(written[2].read_text()) == [json.loads((er / "result.json").read_text())]
    bytes_before = [file.read_bytes() for file in written]
    assert main([*arguments, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert [file.read_bytes() for file in written] == bytes_before


def test_report_only_of_nothing_says_what_to_do(begun, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    others = begun  # has runs, but none of this experiment
    for folder in (tmp_path / "nowhere", tmp_path / "empty", others):
        arguments = ["reproduce", "beta_quick", "--out", str(folder), "--report-only"]
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert f"no run of beta_quick is finished in {folder}; leave out --report-only" in said
        assert not (folder / "results.json").exists()


def test_a_stopped_reproduction_says_how_to_see_what_is_done(tmp_path, monkeypatch, capsys):
    def stopped(*arguments, **options):
        raise Interrupted("stopped with 1 of 2 runs done", signal.SIGTERM)

    monkeypatch.setattr("evoreplay.commands.sweep.sweep", stopped)
    assert main(["reproduce", "tsne_quick", "--out", str(tmp_path)]) == 143
    said = capsys.readouterr().err
    assert "stopped with 1 of 2 runs done, and --report-only reports what is done" in said


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
        ([FLOWS, "--report-only"], "flows_2d has no runs to report"),
        (["tsne_quick", "--dry-run", "--report-only"], "leave out one"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, words, capsys):
    assert main(["reproduce", *arguments]) == 2
    assert words in capsys.readouterr().err

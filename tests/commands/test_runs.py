import shutil

import pytest
import yaml

from evoreplay import Config, run
from evoreplay.cli import main
from evoreplay.running.config import as_dict
from evoreplay.running.found import find_runs, write_failure
from evoreplay.running.lock import locked
from evoreplay.running.protocol import resolved


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run(Config(method="er", scale=0.1, memory_size=20), out=tmp_path_factory.mktemp("runs"))


@pytest.fixture
def runs(finished, tmp_path):
    """One finished, one unfinished, one failed, one half-written and some foreign things."""
    out = tmp_path / "runs"
    shutil.copytree(finished.path, out / finished.path.name)
    for name in ("unfinished", "failed"):
        (out / name).mkdir()
        (out / name / "config.yaml").write_text(yaml.safe_dump(as_dict(resolved(Config()))))
    (out / "unfinished" / "events.jsonl").write_text(
        '{"event": "began", "step": 0, "batches": 200}\n{"event": "step", "step": 50}\n{"eve'
    )
    write_failure(out / "failed", "the loss is not finite")
    (out / "foreign").mkdir()
    (out / "foreign" / "config.yaml").write_text("- something: else\n")
    (out / "empty").mkdir()
    (out / "notes.txt").write_text("not a run")
    return out


def test_brackets_in_the_name_of_a_folder_are_no_markup(runs, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    runs.rename(runs.with_name("runs [red]"))
    assert main(["runs", "list", str(runs.with_name("runs [red]"))]) == 0
    assert "runs [red]" in capsys.readouterr().out


def test_the_list_says_what_is_there(runs, finished, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    assert main(["runs", "list", str(runs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[1]: line for line in lines if "│" in line}
    assert "100%" in rows[finished.path.name]
    assert f"{finished.result['final_accuracy']:.1%}" in rows[finished.path.name]
    assert "25%" in rows["unfinished"]
    assert "failed: the loss is not finite" in lines
    assert "foreign" not in rows


@pytest.mark.parametrize("columns", ["60", "80"])
def test_a_name_is_never_cut_because_it_is_there_to_be_copied(
    runs, finished, capsys, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["runs", "list", str(runs)]) == 0
    assert finished.path.name in capsys.readouterr().out


def test_one_run_alone_is_a_run_and_has_no_reasons_below(runs, finished, capsys):
    for name in ("failed", "unfinished"):
        shutil.rmtree(runs / name)
    assert main(["runs", "list", str(runs)]) == 0
    listed = capsys.readouterr().out
    assert "1 run in" in " ".join(listed.split())
    assert listed.rstrip().endswith("┘")


def test_one_run_is_shown_in_detail(runs, finished, capsys):
    assert main(["runs", "show", str(runs / finished.path.name)]) == 0
    shown = capsys.readouterr().out
    assert finished.result["config_hash"] in shown
    assert f"{finished.result['final_accuracy']:.1%}" in shown
    assert "memory size" in shown


def test_clean_removes_unfinished_runs_after_a_question_and_nothing_else(
    runs, finished, monkeypatch
):
    monkeypatch.setattr("builtins.input", lambda *words: "n")
    assert main(["runs", "clean", str(runs)]) == 0
    assert len(list(find_runs(runs))) == 3
    assert main(["runs", "clean", str(runs), "--dry-run"]) == 0
    assert len(list(find_runs(runs))) == 3
    monkeypatch.setattr("builtins.input", lambda *words: "y")
    assert main(["runs", "clean", str(runs)]) == 0
    left = sorted(p.name for p in runs.iterdir())
    assert left == sorted([finished.path.name, "foreign", "empty", "notes.txt"])


def test_clean_leaves_a_run_that_somebody_is_at(runs, capsys):
    with locked(runs / "unfinished"):
        assert {f.path.name: f.status for f in find_runs(runs)}["unfinished"] == "running"
        assert main(["runs", "clean", str(runs), "--yes"]) == 0
    assert (runs / "unfinished" / "config.yaml").exists()
    assert not (runs / "failed").exists()
    assert "1 removed, 2 kept" in capsys.readouterr().out


def test_a_damaged_result_is_named_and_does_not_hide_the_others(runs, finished, capsys):
    (runs / finished.path.name / "result.json").write_text('{"final_acc')
    assert main(["runs", "list", str(runs)]) == 0
    assert "damaged" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["runs", "list", "nowhere"], "there is no folder nowhere"),
        (["runs", "list", "."], "there are no runs in ."),
        (["runs", "show", "nowhere"], "there is no run directory nowhere"),
        (["runs", "show", "."], "is not a run directory"),
        (["runs", "clean", "nowhere"], "there is no folder nowhere"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert words in capsys.readouterr().err

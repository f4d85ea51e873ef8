import json

import pytest

from evoreplay import Config, UserError
from evoreplay.running.directory import open_run_directory
from evoreplay.running.found import (
    failure_remembered,
    find_runs,
    read_config,
    read_failure,
    read_run,
    write_failure,
)
from evoreplay.running.interruption import Interrupted
from evoreplay.running.lock import RunningElsewhereError, locked
from evoreplay.running.protocol import resolved


@pytest.fixture
def path(tmp_path):
    """A run that has only begun."""
    return open_run_directory(resolved(Config(method="er", seed=3)), tmp_path).path


def test_a_run_is_unfinished_running_failed_finished_or_damaged(path):
    assert read_run(path).status == "unfinished"
    with locked(path):
        assert read_run(path).status == "running"
    write_failure(path, "the disk is full", "a traceback")
    assert (read_run(path).status, read_run(path).reason) == ("failed", "the disk is full")
    (path / "result.json").write_text('{"final_accuracy": 0.5}')
    assert read_run(path).status == "finished"
    assert read_run(path).result == {"final_accuracy": 0.5}
    (path / "result.json").write_text("{")
    assert read_run(path).status == "damaged"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (UserError("no such data"), "no such data"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        (Interrupted("saved", 2), None),
        (RunningElsewhereError("somebody is at it"), None),
    ],
)
def test_a_failure_is_remembered_until_the_run_succeeds_and_a_pause_is_none(path, error, reason):
    with pytest.raises(type(error)), failure_remembered(path):
        raise error
    assert read_failure(path) == reason
    with failure_remembered(path):
        pass
    assert read_failure(path) is None


def test_a_run_that_fails_before_it_has_a_directory_leaves_none(tmp_path):
    with pytest.raises(UserError), failure_remembered(tmp_path / "none"):
        raise UserError("no such data")
    assert not (tmp_path / "none").exists()


def test_the_log_tells_how_far_a_run_is_even_if_others_wrote_into_it(path):
    events = [{"event": "began", "batches": 40}, {"step": 10}, 7, {"step": "many"}, {"step": 20}]
    (path / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    assert (read_run(path).position, read_run(path).length) == (20, 40)
    (path / "events.jsonl").write_bytes(b"\xff\xfe")
    assert (read_run(path).position, read_run(path).length) == (0, 0)


def test_other_folders_are_passed_over(path, tmp_path):
    for name, content in (("notes", "[1, 2]"), ("other", "colour: red"), ("broken", "a: [")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(content)
        assert read_run(tmp_path / name) is None
        with pytest.raises(UserError):
            read_config(tmp_path / name)
    assert [found.path for found in find_runs(tmp_path)] == [path]
    assert read_config(path) == resolved(Config(method="er", seed=3))


@pytest.mark.parametrize("content", ["{", "[]", "{}"])
def test_a_reason_that_cannot_be_read_is_none(path, content):
    assert read_failure(path) is None
    (path / "failed.json").write_text(content)
    assert read_failure(path) is None

"""What any logger can and cannot do to a run, with small ones made for the purpose."""

import hashlib
import json
import random
import signal
from importlib import import_module
from types import SimpleNamespace

import numpy
import pytest
import torch

from evoreplay import Config, NonFiniteLossError, UserError, run
from evoreplay.cli import main
from evoreplay.loggers import observers, table
from evoreplay.loggers.logger import event_numbers, result_numbers
from evoreplay.running.interruption import Interrupted

CONFIG = Config(method="er+ld", scale=0.1)


class Recorder:
    """Keeps what it is told; draws random numbers; fails when told to."""

    made: list["Recorder"]
    fails = ""

    def __init__(self, folder, title, settings):
        self.title, self.settings, self.logged, self.closed = title, settings, [], []
        (folder / "log").touch()
        type(self).made.append(self)
        self._act("open")

    def log(self, numbers, step):
        self.logged.append((step, dict(numbers)))
        self._act("log")

    def close(self, *, finished):
        self.closed.append(finished)
        self._act("close")

    def _act(self, moment):
        random.random(), numpy.random.rand(), torch.rand(())  # noqa: NPY002
        if moment == type(self).fails:
            raise OSError("the disk is full")


@pytest.fixture
def recorder(monkeypatch):
    # most of the time of a small run is spent on the map of its features
    running = import_module("evoreplay.running.run")
    monkeypatch.setattr(running, "take_snapshot", lambda *arguments: None)
    made = type("Made", (Recorder,), {"made": []})
    for module in (observers, table):
        monkeypatch.setattr(module, "LOGGERS", {"recorder": made})
    monkeypatch.setattr(table, "find_spec", lambda name: SimpleNamespace(origin="here"))
    return made


def bytes_of(path):
    result = json.loads((path / "result.json").read_text())
    times = {"seconds", "seconds_per_step"}
    names = ("model.safetensors", "memory.safetensors", "events.jsonl")
    files = [hashlib.sha256((path / name).read_bytes()).hexdigest() for name in names]
    return {k: v for k, v in result.items() if k not in times}, files


def global_states():
    arrays = numpy.random.get_state()[1]  # noqa: NPY002
    return random.getstate(), arrays.tolist(), torch.get_rng_state().tolist()


def test_the_real_loggers_change_no_byte_and_not_the_name_of_the_directory(runs, tmp_path):
    plain = run(Config(method="er+ld", scale=0.2), out=tmp_path)
    assert plain.path.name == runs.whole.name
    for path in (runs.whole, runs.continued):
        assert bytes_of(path) == bytes_of(plain.path)
    assert not (plain.path / "logs").exists()


def test_the_logs_are_in_the_run_directory_and_complete(runs):
    logs = {p.name for p in (runs.whole / "logs").iterdir()}
    assert logs == {"tensorboard", "mlflow", "wandb", "wandb-id"}
    assert all((runs.whole / "logs" / n / "complete").exists() for n in logs - {"wandb-id"})
    assert not list((runs.failed / "logs").glob("*/complete"))


def test_a_logger_that_draws_random_numbers_is_not_noticed(recorder, tmp_path):
    plain = run(CONFIG, out=tmp_path / "plain")
    before = global_states()
    watched = run(CONFIG, out=tmp_path / "watched", loggers=("recorder",))
    assert global_states() == before
    assert bytes_of(watched.path) == bytes_of(plain.path)
    (log,) = recorder.made
    assert log.closed == [True]
    assert len(log.logged) > 10
    assert (log.title, log.settings["method"]) == (plain.path.name, "er+ld")


@pytest.mark.parametrize("moment", ["open", "log", "close"])
def test_a_logger_that_fails_is_given_up_and_the_run_goes_on(recorder, tmp_path, moment):
    plain = run(CONFIG, out=tmp_path / "plain")
    recorder.fails = moment
    with pytest.warns(UserWarning, match="recorder log is given up: OSError: the disk is full"):
        watched = run(CONFIG, out=tmp_path / "watched", loggers=("recorder",))
    assert watched.fresh
    assert bytes_of(watched.path) == bytes_of(plain.path)
    (log,) = recorder.made
    assert len(log.logged) == {"open": 0, "log": 1}.get(moment, len(log.logged))
    assert not (watched.path / "logs" / "recorder" / "complete").exists()


def test_a_finished_run_gets_the_log_that_failed_and_only_once(recorder, tmp_path):
    recorder.fails = "log"
    with pytest.warns(UserWarning, match="given up"):
        run(CONFIG, out=tmp_path, loggers=("recorder",))
    recorder.fails = ""
    again = run(CONFIG, out=tmp_path, loggers=("recorder",))
    assert not again.fresh
    assert not run(CONFIG, out=tmp_path, loggers=("recorder",)).fresh
    _, made_anew = recorder.made
    assert made_anew.closed == [True]
    whole = run(CONFIG, out=tmp_path / "other", loggers=("recorder",))
    assert [step for step, _ in made_anew.logged] == [step for step, _ in recorder.made[2].logged]
    assert made_anew.logged[-1][1] == result_numbers(again.result)
    assert made_anew.logged[:-1] == recorder.made[2].logged[:-1]
    assert whole.fresh


def test_a_run_that_began_without_a_logger_can_go_on_with_one(recorder, tmp_path):
    def stop(progress):
        if progress.position == 6:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Interrupted):
        run(CONFIG, out=tmp_path / "parts", listener=stop)
    run(CONFIG, out=tmp_path / "parts", loggers=("recorder",))
    run(CONFIG, out=tmp_path / "whole", loggers=("recorder",))
    parts, whole = recorder.made
    assert parts.logged[:-1] == whole.logged[:-1]


def interrupt(progress):
    if progress.position == 3:
        signal.raise_signal(signal.SIGINT)


def interrupt_twice(progress):
    if progress.position == 3:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def fail(progress):
    if progress.position == 3:
        raise RuntimeError("something else")


@pytest.mark.parametrize(
    ("listener", "error"),
    [(interrupt, Interrupted), (interrupt_twice, KeyboardInterrupt), (fail, RuntimeError)],
)
def test_loggers_are_closed_when_a_run_is_stopped(recorder, tmp_path, listener, error):
    with pytest.raises(error):
        run(CONFIG, out=tmp_path, listener=listener, loggers=("recorder",))
    (log,) = recorder.made
    assert log.closed == [False]


def test_loggers_are_closed_when_a_loss_is_not_a_number(recorder, tmp_path):
    with pytest.raises(NonFiniteLossError):
        run(Config(method="er", scale=0.1, lr=1e30), out=tmp_path, loggers=("recorder",))
    (log,) = recorder.made
    assert log.closed == [False]


def test_a_package_that_is_missing_is_told_before_anything_is_done(monkeypatch, tmp_path):
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'evoreplay\[wandb\]'"):
        run(CONFIG, out=tmp_path, loggers=("wandb",))
    assert not list(tmp_path.iterdir())


def test_a_folder_with_the_name_of_a_package_is_no_package(monkeypatch, tmp_path):
    (tmp_path / "only_a_folder").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert not table._is_installed("only_a_folder")
    assert table._is_installed("torch")


def test_a_wrong_name_is_told_with_the_nearest_one(tmp_path):
    with pytest.raises(UserError, match="did you mean 'tensorboard'"):
        run(CONFIG, out=tmp_path, loggers=("tensorbord",))
    with pytest.raises(UserError, match="give a tuple of names"):
        run(CONFIG, out=tmp_path, loggers="wandb")


def test_a_name_given_twice_is_one_logger(recorder, tmp_path):
    run(CONFIG, out=tmp_path, loggers=("recorder", "recorder"))
    assert len(recorder.made) == 1


def test_a_finished_run_whose_events_are_gone_says_what_to_do(recorder, tmp_path):
    path = run(CONFIG, out=tmp_path).path
    (path / "events.jsonl").unlink()
    with pytest.raises(UserError, match="leave out the loggers"):
        run(CONFIG, out=tmp_path, loggers=("recorder",))


def test_numbers_are_named_by_where_they_stand_and_nothing_else_is_a_number():
    event = {"event": "measured", "step": 7, "anytime": 0.5, "segments": [1, None, 0.25]}
    expected = {"measured/anytime": 0.5, "measured/segments/0": 1.0, "measured/segments/2": 0.25}
    assert event_numbers(event) == expected
    assert event_numbers({"event": "step", "step": 0, "skipped": True, "note": "none"}) == {}
    result = {"seed": 3, "final_accuracy": 0.5, "forgetting": None, "config": {"seed": 3}}
    result |= {"per_class_accuracy": {"4": 1.0}, "accuracy_matrix": [[0.5]], "versions": {"a": 1}}
    assert result_numbers(result) == {
        "result/final_accuracy": 0.5,
        "result/per_class_accuracy/4": 1.0,
    }


@pytest.mark.slow
def test_nothing_is_written_outside_the_run_directory_and_nothing_is_sent(killed):
    assert not list(killed.home.rglob("*"))
    assert [p.name for p in killed.place.iterdir()] == ["runs"]
    logs = {p.name for p in (killed.path / "logs").iterdir()}
    assert logs == {"tensorboard", "mlflow", "wandb", "wandb-id"}
    assert killed.calls == []


def test_the_command_takes_names_of_loggers(tmp_path, capsys):
    command = ["run", "--out", str(tmp_path), "--scale", "0.05", "--set", "steps=1", "--log"]
    assert main([*command, "tensorbord"]) == 2
    assert "did you mean 'tensorboard'?" in capsys.readouterr().err
    assert main([*command, "tensorboard"]) == 0
    (path,) = tmp_path.iterdir()
    assert (path / "logs" / "tensorboard" / "complete").exists()

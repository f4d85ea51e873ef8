import hashlib
import json
import signal

import numpy as np
import pytest
import torch
from scipy.stats import ttest_rel

from evoreplay import Config, NonFiniteLossError, UserError, run
from evoreplay.running.checkpoint import Schedule
from evoreplay.running.directory import open_run_directory
from evoreplay.running.events import read_events
from evoreplay.running.interruption import Interrupted
from evoreplay.running.protocol import resolved
from evoreplay.storage import newest_state

QUICK = {"scale": 0.2}
TIMES = ("seconds", "seconds_per_step")


def without_times(result):
    return {k: v for k, v in result.items() if k not in TIMES}


def digest(path, name):
    return hashlib.sha256((path / name).read_bytes()).hexdigest()


def test_a_run_leaves_everything_that_its_directory_promises(tmp_path):
    outcome = run(Config(method="er+ld", **QUICK), out=tmp_path)
    names = {p.name for p in outcome.path.iterdir()}
    promised = {"config.yaml", "events.jsonl", "checkpoints", "snapshots"}
    assert promised | {"model.safetensors", "memory.safetensors", "result.json"} <= names
    result = json.loads((outcome.path / "result.json").read_text())
    assert result == outcome.result
    keys = (
        "dataset subset method recipe seed scale config config_hash final_accuracy forgetting "
        "validation_accuracy accuracy_matrix per_class_accuracy anytime_accuracy "
        "examples_per_segment seconds seconds_per_step versions"
    )
    assert set(keys.split()) <= set(result)
    assert outcome.path.name == f"digits-er+ld-s0-{result['config_hash']}"
    assert result["examples_per_segment"] == [50] * 5
    assert 0 < result["memory_moved"] < 1
    events = read_events(outcome.path / "events.jsonl")
    assert events[-1]["event"] == "finished"
    assert {"step", "measured"} <= {e["event"] for e in events}


def test_folders_may_be_given_as_text(tmp_path):
    outcome = run(Config(method="er", **QUICK), out=str(tmp_path), data=str(tmp_path / "none"))
    assert outcome.path.parent == tmp_path
    assert (outcome.path / "result.json").is_file()


def test_the_same_command_twice_gives_the_same_bytes_times_aside(tmp_path):
    first, second = (
        run(Config(method="er+hmc", **QUICK), out=tmp_path / name) for name in ("a", "b")
    )
    assert without_times(first.result) == without_times(second.result)
    for name in ("model.safetensors", "memory.safetensors"):
        assert digest(first.path, name) == digest(second.path, name)


def test_a_finished_run_is_reported_and_not_repeated(tmp_path):
    first = run(Config(method="er", **QUICK), out=tmp_path)
    changed = (first.path / "result.json").stat().st_mtime_ns
    again = run(Config(method="er", **QUICK), out=tmp_path)
    assert first.fresh
    assert not again.fresh
    assert again.result == first.result
    assert (first.path / "result.json").stat().st_mtime_ns == changed


@pytest.mark.parametrize("method", ["fine-tuning", "er+svgd", "er+ld"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_continues_to_the_same_bytes(tmp_path, method, number):
    config = Config(method=method, write_back=method == "er+ld", **QUICK)
    whole = run(config, out=tmp_path / "whole")
    for position in (3, 11, 17):

        def stop(progress, position=position):
            if progress.position == position:
                signal.raise_signal(number)

        with pytest.raises(Interrupted, match="the same command continues"):
            run(config, out=tmp_path / "parts", listener=stop)
    parts = run(config, out=tmp_path / "parts")
    assert without_times(parts.result) == without_times(whole.result)
    names = ["model.safetensors"] + (["memory.safetensors"] if method != "fine-tuning" else [])
    for name in names:
        assert digest(parts.path, name) == digest(whole.path, name)
    assert read_events(parts.path / "events.jsonl") == read_events(whole.path / "events.jsonl")


def test_a_loss_that_becomes_nan_stops_with_the_step_and_keeps_the_last_good_state(tmp_path):
    config = Config(method="er", lr=1e30, **QUICK)
    with pytest.raises(NonFiniteLossError, match=r"at step \d+ .*last good state is kept in"):
        run(config, out=tmp_path)
    (path,) = tmp_path.iterdir()
    assert not (path / "result.json").exists()
    assert any((path / "checkpoints").iterdir())


def test_global_randomness_does_not_matter_and_is_not_changed(tmp_path):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = run(Config(method="er+ld", **QUICK), out=tmp_path / "a")
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    second = run(Config(method="er+ld", **QUICK), out=tmp_path / "b")
    assert without_times(first.result) == without_times(second.result)


def test_replay_beats_fine_tuning_on_the_digits_by_a_wide_margin_over_5_seeds(tmp_path):
    accuracy = {
        method: [
            run(Config(method=method, seed=seed), out=tmp_path).result["final_accuracy"]
            for seed in range(5)
        ]
        for method in ("er", "fine-tuning")
    }
    interval = ttest_rel(accuracy["er"], accuracy["fine-tuning"]).confidence_interval(0.95)
    assert interval.low > 0.4


def test_a_resnet_in_channels_last_layout_is_saved_and_resumed_like_any_other(tmp_path):
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 30)
    x = generator.integers(0, 256, (120, 32, 32, 3), dtype=np.uint8)
    np.savez(tmp_path / "images.npz", x=x, y=y)
    config = Config(dataset=f"npz:{tmp_path / 'images.npz'}", method="er+ld", segments=2, steps=1)

    def stop(progress):
        if progress.position == 3:
            signal.raise_signal(signal.SIGTERM)

    whole = run(config, out=tmp_path / "whole")
    with pytest.raises(Interrupted):
        run(config, out=tmp_path / "parts", listener=stop)
    parts = run(config, out=tmp_path / "parts")
    assert without_times(parts.result) == without_times(whole.result)
    assert digest(parts.path, "model.safetensors") == digest(whole.path, "model.safetensors")


def small_arrays(path, seed):
    generator = np.random.default_rng(seed)
    y = np.repeat(np.arange(4), 30)
    np.savez(path, x=generator.integers(0, 256, (120, 6, 6, 1), dtype=np.uint8), y=y)


def test_a_run_whose_data_were_changed_is_refused(tmp_path):
    path = tmp_path / "own.npz"
    small_arrays(path, 0)
    config = Config(dataset=f"npz:{path}", method="er", segments=2)

    def stop(progress):
        if progress.position == 3:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Interrupted):
        run(config, out=tmp_path / "runs", listener=stop)
    small_arrays(path, 1)
    with pytest.raises(UserError, match="no longer those it was begun with"):
        run(config, out=tmp_path / "runs")
    small_arrays(path, 0)
    assert run(config, out=tmp_path / "runs").fresh


def test_parameters_that_are_not_finite_are_never_a_checkpoint(tmp_path):
    config = Config(method="er", lr=1e39, **QUICK)
    with pytest.raises(NonFiniteLossError):
        run(config, out=tmp_path, checkpoints=Schedule(steps=1))
    (path,) = tmp_path.iterdir()
    _, state = newest_state(path / "checkpoints")
    weights = [w for w in state["learner"]["model"].values() if w.is_floating_point()]
    assert all(bool(torch.isfinite(w).all()) for w in weights)


def test_a_directory_where_a_file_belongs_is_told_without_a_traceback(tmp_path):
    config = Config(method="er", **QUICK)
    path = open_run_directory(resolved(config), tmp_path).path
    (path / "events.jsonl").mkdir()
    with pytest.raises(UserError, match="cannot write to"):
        run(config, out=tmp_path)

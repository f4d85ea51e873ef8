import signal

import numpy as np
import pytest

from evoreplay import Config, UserError, run
from evoreplay.running import along_stream
from evoreplay.running.events import read_events
from evoreplay.running.interruption import Interrupted

QUICK = {"method": "er+ld", "scale": 0.2, "steps": 1}
OWN = ("seconds", "seconds_per_step", "config", "config_hash", "robustness_along_stream")


def numbers(result):
    return {key: value for key, value in result.items() if key not in OWN}


def test_attacks_along_the_stream_change_no_number_of_the_run(tmp_path):
    plain = run(Config(**QUICK), out=tmp_path)
    attacked = run(Config(**QUICK, attacked=200), out=tmp_path)
    assert plain.path != attacked.path
    assert numbers(attacked.result) == numbers(plain.result)
    for name in ("model.safetensors", "memory.safetensors"):
        assert (plain.path / name).read_bytes() == (attacked.path / name).read_bytes()
    assert "robustness_along_stream" not in plain.result
    moments = attacked.result["robustness_along_stream"]
    assert [moment["batch"] for moment in moments] == [5, 10, 15, 20, 25]
    assert all(0 <= m["accuracy"] <= m["clean"] <= 1 for m in moments)
    assert all(m["eps"] == 4 / 255 for m in moments)
    # 200 is more than the first two classes have, and less than all
    matrix = attacked.result["accuracy_matrix"]
    assert moments[0]["clean"] == pytest.approx(matrix[0][0])
    assert moments[-1]["clean"] == pytest.approx(attacked.result["final_accuracy"], abs=0.1)
    assert moments[-1]["accuracy"] < moments[-1]["clean"]
    events = [e for e in read_events(attacked.path / "events.jsonl") if e["event"] == "attacked"]
    assert [{k: v for k, v in e.items() if k not in ("event", "step")} for e in events] == moments


def test_a_run_interrupted_in_the_middle_of_an_attack_continues_to_the_same_bytes(
    tmp_path, monkeypatch
):
    config = Config(**QUICK, attacked=60)
    whole = run(config, out=tmp_path / "whole")

    class Interrupting:
        eps = along_stream.ATTACK.eps
        calls = 0

        def attack(self, *arguments, **options):
            Interrupting.calls += 1
            if Interrupting.calls in (2, 5):
                signal.raise_signal(signal.SIGTERM)
            return original.attack(*arguments, **options)

    original = along_stream.ATTACK
    monkeypatch.setattr(along_stream, "ATTACK", Interrupting())
    for _ in range(2):
        with pytest.raises(Interrupted, match="the same command continues"):
            run(config, out=tmp_path / "parts")
    parts = run(config, out=tmp_path / "parts")
    moments = "robustness_along_stream"
    assert parts.result[moments] == whole.result[moments]
    assert numbers(parts.result) == numbers(whole.result)
    assert read_events(parts.path / "events.jsonl") == read_events(whole.path / "events.jsonl")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"attacked": 5000}, "attacked is 5000, and there are 359 test images"),
        ({"attacked": -1}, "attacked is -1"),
    ],
)
def test_more_images_than_there_are_is_an_error(tmp_path, settings, words):
    with pytest.raises(UserError, match=words):
        run(Config(**QUICK, **settings), out=tmp_path)


def test_data_without_pixels_cannot_be_attacked_along_the_stream(tmp_path):
    generator = np.random.default_rng(0)
    np.savez(tmp_path / "own.npz", x=generator.normal(size=(80, 6)), y=np.repeat([0, 1], 40))
    config = Config(dataset=f"npz:{tmp_path / 'own.npz'}", method="er", segments=2, attacked=5)
    with pytest.raises(UserError, match="not images of 8-bit pixels"):
        run(config, out=tmp_path / "runs")

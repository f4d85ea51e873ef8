"""Three runs with all three loggers: one whole, one that failed on its way, one that went on."""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from evoreplay import Config, run
from evoreplay.loggers import LOGGERS
from evoreplay.running.checkpoint import Schedule
from evoreplay.running.events import read_events

CONFIG = Config(method="er+ld", scale=0.2)
OFTEN = Schedule(steps=4, seconds=1e9)
LOSSES = ("stream_loss", "replay_loss", "loss_before", "loss_after", "moved", "aligned")
SCORES = "final_accuracy validation_accuracy forgetting memory_moved seconds seconds_per_step"


class Runs(NamedTuple):
    whole: Path
    """Never interrupted."""
    failed: Path
    """Failed after 14 batches, two after its newest checkpoint."""
    continued: Path
    """The same run, continued."""


def fail_late(progress):
    if progress.position == 14:
        raise RuntimeError("the power is out")


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    for name in LOGGERS:
        pytest.importorskip(name)
    out = tmp_path_factory.mktemp("logged")
    options = {"checkpoints": OFTEN, "loggers": tuple(LOGGERS)}
    whole = run(CONFIG, out=out / "whole", **options).path
    with pytest.raises(RuntimeError, match="the power is out"):
        run(CONFIG, out=out / "parts", listener=fail_late, **options)
    shutil.copytree(out / "parts", out / "failed")
    continued = run(CONFIG, out=out / "parts", **options).path
    return Runs(whole, out / "failed" / whole.name, continued)


def entries_told(path):
    found, last = [], 0
    for event in read_events(path / "events.jsonl"):
        last = event["step"]
        if event["event"] == "step":
            found += [(f"step/{name}", last, event[name]) for name in LOSSES]
        elif event["event"] == "measured":
            found.append(("measured/anytime", last, event.get("anytime")))
            by_segment = event.get("segments", [])
            found += [(f"measured/segments/{n}", last, v) for n, v in enumerate(by_segment)]
    if (path / "result.json").exists():
        result = json.loads((path / "result.json").read_text())
        found += [(f"result/{name}", last, result[name]) for name in SCORES.split()]
        for label, value in result["per_class_accuracy"].items():
            found.append((f"result/per_class_accuracy/{label}", last, value))
    return sorted(entry for entry in found if entry[2] is not None)


@pytest.fixture
def told():
    """(name, step, value) of all that a run's own files say, sorted: what its logs should hold."""
    return entries_told

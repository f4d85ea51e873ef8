"""Three runs with all three loggers: one whole, one that failed on its way, one that went on."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
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
MOMENT = "batch raw evolved past_examples memory_examples loss_before loss_after moved"


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
        pytest.importorskip(name, reason=f"{name} is not installed: an extra")
    out = tmp_path_factory.mktemp("logged")
    options = {"checkpoints": OFTEN, "loggers": tuple(LOGGERS)}
    whole = run(CONFIG, out=out / "whole", **options).path
    with pytest.raises(RuntimeError, match="the power is out"):
        run(CONFIG, out=out / "parts", listener=fail_late, **options)
    shutil.copytree(out / "parts", out / "failed")
    continued = run(CONFIG, out=out / "parts", **options).path
    return Runs(whole, out / "failed" / whole.name, continued)


class Killed(NamedTuple):
    path: Path
    """Of the run."""
    home: Path
    """Of its user."""
    place: Path
    """Where its commands were given."""
    calls: list[str]
    """What came to the proxy that stands before the network."""


KILLED_LATE = """
import os, signal, sys
from pathlib import Path
from evoreplay import Config, run
from evoreplay.loggers import LOGGERS
from evoreplay.running.checkpoint import Schedule

def kill(progress):
    if progress.position == 14:
        os.kill(os.getpid(), signal.SIGKILL)

run(Config(method="er+ld", scale=0.2), out=Path("runs"), listener=kill,
    checkpoints=Schedule(steps=4, seconds=1e9), loggers=tuple(LOGGERS))
"""


@pytest.fixture(scope="session")
def killed(tmp_path_factory):
    """A run killed without warning and continued by the command, each in a process of its own."""
    for name in LOGGERS:
        pytest.importorskip(name, reason=f"{name} is not installed: an extra")
    home, place = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("place")
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    proxy = f"http://127.0.0.1:{listening.getsockname()[1]}"
    # a package that sees a test would be on its best behaviour
    hidden = {"CI", "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST_WORKER"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"HOME": str(home), "HTTP_PROXY": proxy, "HTTPS_PROXY": proxy}
    environment |= {name.lower(): value for name, value in environment.items() if "PROXY" in name}
    start = {"cwd": place, "env": environment}
    first = subprocess.run([sys.executable, "-c", KILLED_LATE], **start)
    assert first.returncode == -signal.SIGKILL
    command = [sys.executable, "-m", "evoreplay", "run", "--method", "er+ld", "--scale", "0.2"]
    subprocess.run([*command, "--out", "runs", "--log", *LOGGERS], check=True, **start)
    (path,) = (place / "runs").iterdir()
    calls = []
    while True:
        try:
            caller, _ = listening.accept()
        except BlockingIOError:
            break
        calls.append(caller.recv(200).decode(errors="replace"))
        caller.close()
    listening.close()
    return Killed(path, home, place, calls)


def entries_told(path):
    found, last = [], 0
    for event in read_events(path / "events.jsonl"):
        last = event["step"]
        if event["event"] == "step":
            found += [(f"step/{name}", last, event[name]) for name in LOSSES]
        elif event["event"] == "measured":
            found.append(("measured/anytime", last, event.get("anytime")))
            memory = event.get("memory", {})
            found += [(f"measured/memory/{n}", last, memory.get(n)) for n in ("loss", "accuracy")]
            by_segment = event.get("segments", [])
            found += [(f"measured/segments/{n}", last, v) for n, v in enumerate(by_segment)]
        elif event["event"] == "memory":
            found += [(f"memory/{name}", last, event[name]) for name in MOMENT.split()]
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

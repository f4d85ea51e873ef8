"""Runs in processes that may die, and what has to be the same afterwards."""

import hashlib
import json
import os

import torch

from evoreplay.running.events import read_events
from evoreplay.storage import newest_state


def fork(work):
    """`work` in a child that never returns into pytest."""
    pid = os.fork()
    if pid == 0:
        try:
            torch.set_num_threads(1)
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return pid


def exit_status(pid):
    return os.waitpid(pid, 0)[1]


def fingerprint(out):
    """Sha256 of model, memory and generators, and the result without its times."""
    (path,) = out.iterdir()
    files = {
        name: hashlib.sha256((path / name).read_bytes()).hexdigest()
        for name in ("model.safetensors", "memory.safetensors")
        if (path / name).exists()
    }
    result = json.loads((path / "result.json").read_text())
    for name in ("seconds", "seconds_per_step"):
        del result[name]
    learner = newest_state(path / "checkpoints")[1]["learner"]
    return files, result, learner, read_events(path / "events.jsonl")

import json

import pytest
import torch
from safetensors.torch import save_file

from evoreplay import Config
from evoreplay.reports.page import html_page
from evoreplay.reports.report import make_report
from evoreplay.running.config import run_name
from evoreplay.running.protocol import resolved
from evoreplay.running.run import identity
from shared.outline import Outline


def result_of(config, accuracy, changes):
    """A result.json as a run writes it, with made-up measurements."""
    matrix = [[None] * i + [accuracy] * (3 - i) for i in range(3)]
    result = {
        **identity(config),
        "final_accuracy": accuracy,
        "validation_accuracy": accuracy,
        "forgetting": 0.25,
        "accuracy_matrix": matrix,
        "per_class_accuracy": {"0": accuracy},
        "anytime_accuracy": [{"batch": b, "accuracy": accuracy} for b in (10, 20, 30)],
        "memory_balance": [{"batch": b, "counts": [b, 30 - b]} for b in (10, 20, 30)],
        "examples_per_segment": [100, 100, 100],
        "memory_moved": 0.1,
        "seconds": 1.0,
        "seconds_per_step": 0.01,
        "versions": {"evoreplay": "0.1.0", "torch": "2.13.0", "threads": 1},
    }
    return result | changes


@pytest.fixture
def write_run(tmp_path):
    """Put a finished run into a folder; settings of the config and changes of the result."""

    def write(method="er", seed=0, accuracy=0.5, *, out=tmp_path, changes=None, **settings):
        settings = {"precision": "float32", "device": "cpu"} | settings
        config = resolved(Config(method=method, seed=seed, **settings))
        path = out / run_name(config)
        path.mkdir(parents=True)
        (path / "config.yaml").write_text("dataset: digits\n")
        result = result_of(config, accuracy, changes or {})
        (path / "result.json").write_text(json.dumps(result))
        return path

    return write


@pytest.fixture
def write_snapshot():
    """Put a snapshot into a run: a map of the memory, and a flow's examples."""

    def write(path, step=30, *, leave_out=(), size=8):
        generator = torch.Generator().manual_seed(step)
        labels = torch.arange(20) % 10
        raw = torch.rand(12, 1, size, size, generator=generator) * 2 - 1
        tensors = {
            "x": torch.zeros(20, 1, size, size, dtype=torch.uint8),
            "y": labels,
            "embedded": torch.arange(20),
            "embedding": torch.randn(20, 2, generator=generator),
            "shown": torch.arange(12),
            "raw": raw,
            "evolved": raw + 0.3,
            "loss_before": torch.full((12,), 0.25),
            "loss_after": torch.full((12,), 0.75),
        }
        (path / "snapshots").mkdir(exist_ok=True)
        file = path / "snapshots" / f"step-{step:08d}.safetensors"
        save_file({k: v for k, v in tensors.items() if k not in leave_out}, file)
        return file

    return write


@pytest.fixture
def memory_keys():
    """What a run records of its memory, with made-up numbers; for `changes` of `write_run`."""

    def keys(raw=0.01, evolved=None, *, rise=None, loss=0.5, accuracy=0.75):
        batches = (10, 20, 30)
        sizes = {"past_examples": 300, "memory_examples": 100}
        return {
            "memory_distance": [
                {"batch": b, "raw": raw, "evolved": evolved, **sizes} for b in batches
            ],
            "memory_loss_rise": [
                {"batch": b, "before": 1.0, "after": 1.0 + rise, "rise": rise, "moved": 0.25}
                for b in batches
                if rise is not None
            ],
            "memory_loss": [{"batch": b, "loss": loss, "accuracy": accuracy} for b in batches],
        }

    return keys


@pytest.fixture
def folder(write_run, tmp_path):
    runs = tmp_path / "runs"
    for seed, difference in enumerate((0.01, 0.02, 0.03)):
        write_run("er", seed, 0.5, out=runs)
        write_run("er+ld", seed, 0.5 + difference, out=runs)
        write_run("er+noise", seed, 0.6, out=runs)
    return runs


@pytest.fixture
def measured(write_run, memory_keys, tmp_path):
    """Two rows of two seeds that measured their memory."""
    for seed, noise in enumerate((0.0, 0.002)):
        write_run("er", seed, 0.5, changes=memory_keys(0.01 + noise, loss=0.2 + noise))
        changes = memory_keys(0.02, 0.05 + noise, rise=0.3, loss=0.6, accuracy=0.9)
        write_run("er+ld", seed, 0.5, changes=changes)
    return tmp_path


@pytest.fixture
def outline_of(tmp_path):
    return lambda: Outline(html_page(make_report(tmp_path)))

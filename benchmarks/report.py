"""How long a report of 200 runs takes and how large it is.

python benchmarks/report.py [page.html]      the page is kept if a name is given

Fails if it takes more than 10 seconds or 10 MB. The runs are made up, their files are as large as
those of real ones: snapshots of colour images of 32 and 84 pixels at three moments of every run.
"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path

import torch
from safetensors.torch import save_file

from evoreplay import Config
from evoreplay.reports.write import write_report
from evoreplay.running.config import run_name
from evoreplay.running.protocol import resolved
from evoreplay.running.run import identity

LONGEST, LARGEST = 10.0, 10_000_000
METHODS = ["er", "er+ld", "er+svgd", "er+hmc", "er+noise", "mir", "mir+ld", "gmed", "gmed+ld"]
METHODS += ["fine-tuning"]
SEEDS = 10
MOMENTS = (950, 1900, 2850)
SIZES = {"cifar10": (32, 10, 5), "mini-imagenet": (84, 100, 20)}


def made_up_result(config: Config, chance: random.Random) -> dict:
    """A result.json with random measurements of the right shapes."""
    _, classes, segments = SIZES[config.dataset]
    matrix = [
        [None if after < segment else chance.random() for after in range(segments)]
        for segment in range(segments)
    ]
    batches = range(114, 2851, 114)
    return {
        **identity(config),
        "final_accuracy": chance.uniform(0.2, 0.4),
        "forgetting": chance.uniform(0.3, 0.5),
        "accuracy_matrix": matrix,
        "anytime_accuracy": [{"batch": b, "accuracy": chance.random()} for b in batches],
        "memory_balance": [
            {"batch": b, "counts": [chance.randrange(50) for _ in range(classes)]} for b in batches
        ],
        "memory_loss": [
            {"batch": b, "loss": chance.random(), "accuracy": chance.random()} for b in batches
        ],
        "memory_distance": [
            {"batch": b, "raw": 0.01 * chance.random(), "evolved": 0.02 * chance.random()}
            for b in (950, 1900, 2850)
        ],
        "memory_loss_rise": [
            {"batch": b, "before": 0.5, "after": 0.5 + chance.random(), "moved": 0.3}
            for b in (950, 1900, 2850)
        ],
        "seconds_per_step": chance.uniform(0.1, 0.3),
        "versions": {"evoreplay": "0.1.0", "torch": torch.__version__, "threads": 1},
    }


def made_up_snapshot(dataset: str) -> dict:
    """Tensors as `running/snapshots.py` writes them; noise, because that compresses worst."""
    pixels, classes, _ = SIZES[dataset]
    raw = torch.rand(12, 3, pixels, pixels) * 2 - 1
    return {
        "x": torch.randint(256, (500, 3, pixels, pixels), dtype=torch.uint8),
        "y": torch.randint(classes, (500,)),
        "features": torch.randn(500, 160),
        "embedded": torch.arange(500),
        "embedding": torch.randn(500, 2),
        "shown": torch.arange(12),
        "raw": raw,
        "evolved": raw + 0.3 * torch.randn_like(raw),
        "loss_before": torch.rand(12),
        "loss_after": torch.rand(12),
    }


torch.set_num_threads(1)
torch.manual_seed(0)
chance = random.Random(0)
with tempfile.TemporaryDirectory() as name:
    folder = Path(name) / "runs"
    for dataset in SIZES:
        # one file for all runs of a dataset: what is read is as large, the disk is spared
        original = Path(name) / f"{dataset}.safetensors"
        save_file(made_up_snapshot(dataset), original)
        for method in METHODS:
            for seed in range(SEEDS):
                config = resolved(Config(dataset=dataset, method=method, seed=seed))
                path = folder / run_name(config)
                path.mkdir(parents=True)
                if method != "fine-tuning":
                    (path / "snapshots").mkdir()
                    for moment in MOMENTS:
                        file = path / "snapshots" / f"step-{moment:08d}.safetensors"
                        file.hardlink_to(original)
                result = made_up_result(config, chance)
                (path / "result.json").write_text(json.dumps(result))
    began = time.monotonic()
    written = write_report(folder, Path(name) / "report.html")
    seconds = time.monotonic() - began
    size = written.path.stat().st_size
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_bytes(written.path.read_bytes())
print(f"{written.runs} runs in {written.rows} rows: {seconds:.1f} s, {size / 1e6:.1f} MB")
sys.exit(int(seconds > LONGEST or size > LARGEST))

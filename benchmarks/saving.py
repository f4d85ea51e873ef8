"""What checkpoints cost at the defaults: seconds of a save against the seconds between two.

python benchmarks/saving.py

Fails if a save takes more than 5 seconds, which is what a process that is told to stop may take.
"""

import sys
import tempfile
import time
from pathlib import Path

import torch

from evoreplay import Config
from evoreplay.models import ResNet18
from evoreplay.running.assembly import make_learner
from evoreplay.running.checkpoint import LARGEST_SHARE, Checkpoints, Schedule
from evoreplay.running.protocol import resolved

LONGEST = 5.0

torch.set_num_threads(1)
slowest = 0.0
for dataset, size, held in (("cifar10", 32, 500), ("mini-imagenet", 84, 10_000)):
    config = resolved(Config(dataset=dataset, method="er"))
    learner = make_learner(config, ResNet18(100, size=size))
    images = torch.randint(256, (held, 3, size, size), dtype=torch.uint8)
    learner.memory.put(torch.arange(len(images)), images, torch.zeros(len(images)))
    with tempfile.TemporaryDirectory() as folder:
        saves = Checkpoints(Path(folder), Schedule(), {})
        times = []
        for _ in range(5):
            began = time.monotonic()
            saves.write({"position": 0, "learner": learner.state_dict()})
            times.append(time.monotonic() - began)
        size_on_disk = sum(f.stat().st_size for f in Path(folder).glob("*/*")) / 2 / 1e6
    cost, slowest = sorted(times)[2], max(slowest, *times)
    interval = max(Schedule().seconds, cost / LARGEST_SHARE)
    print(
        f"{dataset}: {size_on_disk:.0f} MB, a save takes {cost:.2f} s (at most {max(times):.2f}), "
        f"every {interval:.0f} s: {cost / interval:.2%} of the time"
    )
sys.exit(int(slowest > LONGEST))

"""10^6 small examples through one learner: does memory grow, does a step become slower?

A step of the old learner is timed beside one of a young learner, in turns, so that the moods of the
machine cancel out: python benchmarks/long_stream.py [EXAMPLES]
"""

import resource
import sys
import time
from pathlib import Path
from statistics import median

import torch

import evoreplay as ev

EXAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
BATCH, BLOCK, CAPACITY = 10, 100, 500

torch.set_num_threads(1)
generator = torch.Generator().manual_seed(0)


def make_learner() -> ev.ReplayLearner:
    """A small network with an evolving memory that is already full."""
    with torch.random.fork_rng(devices=[]):
        model = ev.MLP(inputs=16, classes=4, hidden=(32,))
    learner = ev.ReplayLearner(
        model,
        torch.optim.SGD(model.parameters(), lr=0.05),
        memory=ev.ReservoirMemory(CAPACITY),
        evolution=ev.Langevin(steps=1),
    )
    learn(learner, CAPACITY // BATCH)
    return learner


def learn(learner: ev.ReplayLearner, steps: int) -> float:
    """Seconds of CPU time of so many steps on made-up data."""
    began = time.process_time()
    for _ in range(steps):
        y = torch.randint(4, (BATCH,), generator=generator)
        learner.observe(torch.randn(BATCH, 16, generator=generator) + y[:, None], y)
    return time.process_time() - began


def resident_megabytes() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


old = make_learner()
blocks = EXAMPLES // BATCH // 10 // BLOCK
ratios, resident = [], []
for tenth in range(10):
    young = make_learner()
    found = []
    for block in range(blocks):
        seconds = learn(old, BLOCK)
        if block % 4 == 0:
            found.append(seconds / learn(young, BLOCK))
    ratios.append(median(found))
    resident.append(resident_megabytes())
    print(f"tenth {tenth + 1}: {ratios[-1]:.3f} of a young step, {resident[-1]:.0f} MB", flush=True)
growth, slowing = resident[-1] / resident[0] - 1, ratios[-1] / ratios[0] - 1
print(f"{EXAMPLES} examples, last to first tenth: memory {growth:+.1%}, a step {slowing:+.1%}")
sys.exit(int(growth > 0.05 or slowing > 0.10))

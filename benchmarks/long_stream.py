"""10^6 small examples through one learner: does memory grow, does a step become slower?

python benchmarks/long_stream.py [EXAMPLES]
"""

import resource
import sys
import time
from pathlib import Path

import torch

import evoreplay as ev

EXAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
BATCH = 10


def resident_megabytes() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


torch.set_num_threads(1)
with torch.random.fork_rng(devices=[]):
    model = ev.MLP(inputs=16, classes=4, hidden=(32,))
learner = ev.ReplayLearner(
    model,
    torch.optim.SGD(model.parameters(), lr=0.05),
    memory=ev.ReservoirMemory(500),
    evolution=ev.Langevin(steps=1),
)
generator = torch.Generator().manual_seed(0)
steps = EXAMPLES // BATCH
tenths, resident = [], []
for _ in range(10):
    began = time.process_time()
    for _ in range(steps // 10):
        y = torch.randint(4, (BATCH,), generator=generator)
        x = torch.randn(BATCH, 16, generator=generator) + y[:, None]
        learner.observe(x, y)
    tenths.append(1000 * (time.process_time() - began) / (steps // 10))
    resident.append(resident_megabytes())
    print(f"{tenths[-1]:.3f} ms a step, {resident[-1]:.0f} MB resident", flush=True)
growth, slowing = resident[-1] / resident[0] - 1, tenths[-1] / tenths[0] - 1
print(
    f"{EXAMPLES} examples: memory {growth:+.1%}, time of a step {slowing:+.1%}, last to first tenth"
)
sys.exit(int(growth > 0.05 or abs(slowing) > 0.10))

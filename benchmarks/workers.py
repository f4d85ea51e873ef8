"""How many runs two workers do in the time of one: wall time, so on a machine with nothing else.

python benchmarks/workers.py

Two cores seldom do twice the work of one: they share caches, and a virtual machine's two may be two
threads of one. So the same step is timed first in one plain process and in two at once, without a
sweep: that is what the machine can give, and the sweep is measured against it.
"""

import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from rich.console import Console

from evoreplay import Config
from evoreplay.sweeps.grid import make_grid
from evoreplay.sweeps.on_processes import Place
from evoreplay.sweeps.sweep import sweep

RUNS = 16
UPDATES = 8
"""For each batch. Starting a process costs about seven seconds, with one worker and with two; 16
runs of eight seconds are long beside it, as those of a real sweep are."""
ROUNDS = 2
PLAIN = """
import time, torch, evoreplay as ev
torch.set_num_threads(1)
model = ev.MLP(64, 10)
learner = ev.ReplayLearner(
    model,
    torch.optim.SGD(model.parameters(), lr=0.1),
    memory=ev.ReservoirMemory(100),
    evolution=ev.Langevin(steps=5, rate=0.01),
)
x, y = torch.rand(10, 64), torch.randint(10, (10,))
began, steps = time.monotonic(), 0
while time.monotonic() - began < 15:
    learner.observe(x, y)
    steps += 1
print(steps)
"""


def plain_steps(processes):
    """Steps of so many processes that know nothing of each other, in the same time."""
    command = [sys.executable, "-c", PLAIN]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(processes)]
    return sum(int(process.communicate()[0]) for process in started)


def seconds(workers, out):
    """For the same runs in a new folder."""
    jobs = make_grid([Config(method="er+ld", seed=seed, updates=UPDATES) for seed in range(RUNS)])
    began = time.monotonic()
    board = sweep(jobs, Place(out), Console(file=io.StringIO()), workers=workers)
    assert board.count("done") == RUNS
    return time.monotonic() - began


def main():
    """Rounds of one, then two, without and with a sweep."""
    ceilings, ratios = [], []
    for number in range(ROUNDS):
        ceilings.append(plain_steps(2) / plain_steps(1))
        with tempfile.TemporaryDirectory() as folder:
            one = seconds(1, Path(folder) / "one")
            two = seconds(2, Path(folder) / "two")
        ratios.append(one / two)
        print(
            f"round {number + 1}: {RUNS} runs in {one:.1f} s with 1 worker, {two:.1f} s with 2 "
            f"({ratios[-1]:.2f}); two plain processes do {ceilings[-1]:.2f} times the steps of one",
            flush=True,
        )
    print(
        f"2 workers do {median(ratios):.2f} times the runs of 1 (bar: at least 1.8), where two "
        f"plain processes do {median(ceilings):.2f} times the steps of one"
    )


if __name__ == "__main__":
    main()

"""How many runs two workers do in the time of one: wall time, so on a machine with nothing else.

python benchmarks/workers.py
"""

import io
import tempfile
import time
from pathlib import Path
from statistics import median

from rich.console import Console

from evoreplay import Config
from evoreplay.sweeps.grid import make_grid
from evoreplay.sweeps.on_processes import Place
from evoreplay.sweeps.sweep import sweep

RUNS = 6
UPDATES = 8
"""For each batch, so that a run is long beside the start of a process."""
ROUNDS = 3


def seconds(workers, out):
    """For the same runs in a new folder."""
    jobs = make_grid([Config(method="er+ld", seed=seed, updates=UPDATES) for seed in range(RUNS)])
    began = time.monotonic()
    board = sweep(jobs, Place(out), Console(file=io.StringIO()), workers=workers)
    assert board.count("done") == RUNS
    return time.monotonic() - began


def main():
    """Rounds of one worker, then two."""
    ratios = []
    for number in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            one = seconds(1, Path(folder) / "one")
            two = seconds(2, Path(folder) / "two")
        ratios.append(one / two)
        print(
            f"round {number + 1}: {RUNS} runs in {one:.1f} s with 1 worker, {two:.1f} s with 2",
            flush=True,
        )
    print(f"2 workers do {median(ratios):.2f} times the runs of 1 (bar: at least 1.8)")


if __name__ == "__main__":
    main()

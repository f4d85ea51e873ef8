"""Is one method better than another? python examples/compare_methods.py

Five methods on the embedded digits with the same seeds. A seed fixes the stream and the initial
weights, so methods are compared seed by seed, and the interval is that of the differences.
"""

import tempfile
from pathlib import Path

import torch

import evoreplay as ev
from evoreplay.reports.statistics import paired_differences

SEEDS = range(3)
METHODS = ["fine-tuning", "er", "er-x2", "er+noise", "er+ld"]

torch.set_num_threads(1)  # small networks gain nothing from more
accuracy = {}
with tempfile.TemporaryDirectory() as folder:
    for method in METHODS:
        for seed in SEEDS:
            # a part of the stream and a small memory, to be done in seconds
            config = ev.Config(method=method, seed=seed, scale=0.2, memory_size=20)
            outcome = ev.run(config, out=Path(folder))
            accuracy.setdefault(method, {})[seed] = outcome.result["final_accuracy"]

for method, by_seed in accuracy.items():
    print(f"{method:12} {' '.join(f'{100 * value:5.1f}' for value in by_seed.values())} %")


def compare(method, other):
    """Say what the 95 % interval of the differences allows to say."""
    found = paired_differences(accuracy[method], accuracy[other], scale=100)
    verdict = "a difference" if found.excludes_zero else "no difference shown"
    interval = f"[{found.low:+.1f}, {found.high:+.1f}]"
    print(f"{method} - {other}: {found.mean:+.1f} points, 95 % {interval}: {verdict}")


compare("er", "fine-tuning")
compare("er+ld", "er")
# the controls: as much weight of replay; as much noise, no gradient. Only a gain over both is due
# to evolution
compare("er+ld", "er-x2")
compare("er+ld", "er+noise")

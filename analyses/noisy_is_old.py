"""Does replaying noisy copies only teach "noisy = old class"?

With the `paper` recipe the stream comes clean and the past comes noisy. A network can then tell
old from new by the noise alone. Finished runs are asked: of 1,000 test images of past segments and
as many of the last one, how many does it take for a class of the last segment, clean and with the
noise of T Langevin steps, std sqrt(2 rate steps)? Once as it is evaluated (running statistics) and
once as it was trained (BatchNorm normalises minibatches of ten by themselves).

    python analyses/noisy_is_old.py runs/cifar10/cifar10-er-s0-* runs/cifar10/cifar10-er+ld-s0-*

A network that looks at the picture alone gives the same shares with and without noise, up to what
noise does to its accuracy; one that looks for the noise calls clean old images new.
"""

import argparse
import math
from pathlib import Path

import torch

from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.random_state import named_generator
from evoreplay.running.choosing import evenly
from evoreplay.running.finished import load_finished, run_directories
from evoreplay.traceless import evaluating, traceless

IMAGES, MINIBATCH = 1000, 10
MODES = {"evaluated": evaluating, "as trained": traceless}


def taken_for_new(run, indices, deviation, mode="evaluated"):
    """Share of these test images that get a label of the last segment."""
    generator = named_generator(run.config.seed, "noisy is old")
    newest = torch.tensor(run.experiment.groups[-1])
    found = []
    with MODES[mode](run.model), torch.no_grad():
        for chunk in indices.split(MINIBATCH):
            inputs = scaled_to_unit_range(run.experiment.test.x[chunk])
            noise = torch.randn(inputs.shape, generator=generator)
            logits = run.model(inputs + deviation * noise)
            found.append(torch.isin(logits.argmax(dim=1), newest))
    return float(torch.cat(found).float().mean())


def mixed(indices, seed):
    """In random order: neighbours are of one class, a minibatch in training is a mixture."""
    return indices[torch.randperm(len(indices), generator=named_generator(seed, "mixed"))]


def main():
    """One line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="finished run directories, or folders")
    parser.add_argument("--data", type=Path, help="where the data are")
    parser.add_argument("--rate", type=float, default=0.01, help="of the flow whose noise it is")
    parser.add_argument("--steps", type=int, default=5, help="of that flow")
    options = parser.parse_args()
    torch.set_num_threads(1)
    deviation = math.sqrt(2 * options.rate * options.steps)
    print(f"share taken for a class of the last segment, %; noise of std {deviation:.3f}")
    print(f"{'run':45} {'old, clean':>12} {'old, noisy':>12} {'new, clean':>12} {'new, noisy':>12}")
    for path in (path for folder in options.runs for path in run_directories(folder).finished):
        run = load_finished(path, options.data)
        segments = run.experiment.test.segments
        old, new = (
            mixed(evenly(part, IMAGES), run.config.seed)
            for part in (torch.cat(segments[:-1]), segments[-1])
        )
        for mode in MODES:
            shares = [
                taken_for_new(run, part, d, mode) for part in (old, new) for d in (0.0, deviation)
            ]
            numbers = " ".join(f"{100 * share:12.1f}" for share in shares)
            print(f"{path.name:34} {mode:10} {numbers}")


if __name__ == "__main__":
    main()

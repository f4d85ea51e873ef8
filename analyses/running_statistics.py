"""What do BatchNorm's running statistics change, if the weights stay as they are?

In training, layers normalise minibatches by themselves: `statistics` decides what enters the
running averages, and these only serve evaluation. So runs that differ in nothing but `statistics`
have the same weights, and of one network both can be had. The last network of a finished run is
given the last 200 batches of its stream again, each followed by a minibatch of its memory, weights
fixed:

    raw    the memory as it is,
    all    the memory with the noise of T Langevin steps, std sqrt(2 rate steps), which is what the
           paper's flow makes of it up to a thousandth of a pixel's range.

    python analyses/running_statistics.py runs/cifar10/cifar10-er+ld-s0-*

Printed are the accuracy of all test images with the statistics that the run ended with and with
each of these, and the share of the old segments' test images that is right.
"""

import argparse
import math
from copy import deepcopy
from pathlib import Path

import torch
from safetensors.torch import load_file

from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.random_state import named_generator
from evoreplay.running.finished import load_finished, run_directories
from evoreplay.traceless import evaluating

MINIBATCHES, CHUNK = 200, 500


def with_statistics(run, memory, deviation):
    """A copy of the network whose averages have seen its last batches again, and its memory."""
    generator = named_generator(run.config.seed, "running statistics")
    stream, held = run.experiment.stream, memory["x"]
    model = deepcopy(run.model).train()
    with torch.no_grad():
        for batch in stream.order.split(stream.batch_size)[-MINIBATCHES:]:
            model(scaled_to_unit_range(stream.x[batch]))
            replayed = torch.randperm(len(held), generator=generator)[: run.config.replay_size]
            inputs = scaled_to_unit_range(held[replayed])
            model(inputs + deviation * torch.randn(inputs.shape, generator=generator))
    return model


def accuracy(model, test, segments):
    """Share of the images of these segments that is right, as the model is evaluated."""
    indices = torch.cat(segments)
    with evaluating(model):
        right = [
            model(scaled_to_unit_range(test.x[chunk])).argmax(dim=1) == test.y[chunk]
            for chunk in indices.split(CHUNK)
        ]
    return float(torch.cat(right).float().mean())


def main():
    """One line for each run and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="finished run directories, or folders")
    parser.add_argument("--data", type=Path, help="where the data are")
    parser.add_argument("--rate", type=float, default=0.01, help="of the flow whose noise it is")
    parser.add_argument("--steps", type=int, default=5, help="of that flow")
    options = parser.parse_args()
    torch.set_num_threads(1)
    deviation = math.sqrt(2 * options.rate * options.steps)
    print(f"test accuracy, %; noise of std {deviation:.3f}")
    for path in (path for folder in options.runs for path in run_directories(folder).finished):
        run, memory = load_finished(path, options.data), load_file(path / "memory.safetensors")
        ways = {
            f"as it ended ({run.config.statistics})": run.model,
            "raw": with_statistics(run, memory, 0.0),
            "all": with_statistics(run, memory, deviation),
        }
        test = run.experiment.test
        for name, model in ways.items():
            shares = [accuracy(model, test, part) for part in (test.segments, test.segments[:-1])]
            every, old = (f"{100 * share:5.1f}" for share in shares)
            print(f"{path.name:34} {name:18} all {every}   old {old}")


if __name__ == "__main__":
    main()

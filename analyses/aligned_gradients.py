"""Do the parameter gradients of evolved examples stay aligned with those of the raw ones?

The memory of a finished run is evolved on its last network, minibatch by minibatch, by the paper's
Langevin flow with its dot product (beta 0.003), without it (beta 0), by noise alone, and by small
normalised steps with and without it. For each: the cosine of the gradients of the mean loss of the
evolved and of the raw minibatch, how much the loss rose, and how far the examples moved (RMS).

    python analyses/aligned_gradients.py runs/cifar10/cifar10-er-s*

If the dot product did what it is for, the cosine would be higher with it than without. Of two or
more networks the differences are given with a 95 % interval, paired by network.
"""

import argparse
import math
from pathlib import Path
from statistics import fmean, stdev

import torch
from safetensors.torch import load_file
from torch.nn.functional import cosine_similarity, cross_entropy

import evoreplay as ev
from evoreplay.gradients import named_gradients
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.random_state import named_generator
from evoreplay.reports.statistics import paired_differences
from evoreplay.reports.tables import decimal, interval_text
from evoreplay.running.choosing import evenly
from evoreplay.running.finished import load_finished, run_directories
from evoreplay.traceless import traceless

EXAMPLES, MINIBATCH = 200, 10
SMALL = {"steps": 2, "rate": 0.005, "step": "normalised", "temperature": 0.0}
WAYS = {
    "langevin, beta 0.003": (ev.Langevin(steps=5, rate=0.01), 0.003),
    "langevin, beta 0": (ev.Langevin(steps=5, rate=0.01), 0.0),
    "noise alone": (ev.Noise(steps=5, rate=0.01), 0.0),
    "small steps, beta 0.003": (ev.Langevin(**SMALL), 0.003),
    "small steps, beta 0": (ev.Langevin(**SMALL), 0.0),
}
PAIRS = (
    ("langevin, beta 0.003", "langevin, beta 0"),
    ("langevin, beta 0.003", "noise alone"),
    ("small steps, beta 0.003", "small steps, beta 0"),
)
"""The second is the control of the first."""


def gradient_and_loss(model, inputs, labels):
    """Of the mean loss, as one vector; the model is left as it is."""
    with traceless(model):
        loss = cross_entropy(model(inputs), labels)
        named = named_gradients(model, loss)
    return torch.cat([part.flatten() for part in named.values()]), float(loss.detach())


def compared(model, inputs, labels, flow, alignment, generator):
    """Cosine, rise of the loss, mean squared displacement, of one minibatch."""
    raw, before = gradient_and_loss(model, inputs, labels)
    field = ev.MemoryEnergy(alignment=alignment).bind(model, inputs, labels)
    evolved = flow.evolve(inputs, field, generator=generator)
    moved, after = gradient_and_loss(model, evolved, labels)
    squares = float((evolved - inputs).square().mean())
    return float(cosine_similarity(raw, moved, dim=0)), after - before, squares


def main():
    """One line for each way and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="finished run directories, or folders")
    parser.add_argument("--data", type=Path, help="where the data are")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cosines_of = {name: {} for name in WAYS}
    paths = (path for folder in options.runs for path in run_directories(folder).finished)
    for network, path in enumerate(paths):
        run = load_finished(path, options.data)
        memory = load_file(path / "memory.safetensors")
        order = torch.randperm(
            len(memory["y"]), generator=named_generator(run.config.seed, "aligned gradients")
        )
        minibatches = evenly(order, EXAMPLES).split(MINIBATCH)
        print(f"{path.name}: {len(minibatches)} minibatches of {MINIBATCH}; mean ± sd over them")
        for name, (flow, alignment) in WAYS.items():
            # the same noise for every way
            generator = named_generator(run.config.seed, "noise of aligned gradients")
            found = [
                compared(
                    run.model,
                    scaled_to_unit_range(memory["x"][slots]),
                    memory["y"][slots],
                    flow,
                    alignment,
                    generator,
                )
                for slots in minibatches
            ]
            cosines, rises, squares = zip(*found, strict=True)
            cosines_of[name][network] = fmean(cosines)
            print(
                f"  {name:24} cosine {fmean(cosines):.3f} ± {stdev(cosines):.3f}"
                f"   loss {fmean(rises):+.3f}   moved {math.sqrt(fmean(squares)):.4f}"
            )
    for ours, control in PAIRS:
        found = paired_differences(cosines_of[ours], cosines_of[control])
        if found is not None:
            difference = f"{decimal(found.mean, 4, sign=True)} {interval_text(found, 4, sign=True)}"
            print(f"cosine, {ours} minus {control}: {difference} (n = {found.n})")


if __name__ == "__main__":
    main()

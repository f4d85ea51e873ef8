r"""What does a network make of its images, stage by stage?

For each stage of the last network of finished runs, on 1,000 test images, as it is evaluated:

- the size of the features, their root mean square;
- over how many directions they spread: the effective rank exp(-sum p_i log p_i), where p are the
  shares of the variance along the principal axes of the features (means over the picture first).
  1 is a line, and features that spread evenly over d directions have d.

    python analyses/spread_of_features.py runs/cifar10/cifar10-er-s0-* runs/cifar10/*er+ld-s0-*

Small steps of the features are a fraction of their size, so size alone is no shelter from them;
what shelters is a margin that is large beside the size.

Reference: Roy and Vetterli, "The effective rank: a measure of effective dimensionality", 2007.
"""

import argparse
from pathlib import Path

import torch

from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.running.choosing import evenly
from evoreplay.running.finished import load_finished, run_directories
from evoreplay.traceless import evaluating

IMAGES, MINIBATCH = 1000, 100
STAGES = ("layer1", "layer2", "layer3", "layer4")


def effective_rank(features):
    """Of features, one example to a row."""
    variances = torch.linalg.svdvals(features - features.mean(dim=0)).square()
    shares = variances / variances.sum()
    return float(torch.special.entr(shares).sum().exp())


def outputs_of(model, layers, batches):
    """What these layers give for all batches, by layer."""
    seen = {name: [] for name in layers}
    hooks = [
        model.get_submodule(name).register_forward_hook(
            lambda _module, _inputs, output, name=name: seen[name].append(output)
        )
        for name in layers
    ]
    with evaluating(model), torch.no_grad():
        for inputs in batches:
            model(inputs)
    for hook in hooks:
        hook.remove()
    return {name: torch.cat(parts) for name, parts in seen.items()}


def main():
    """One line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="finished run directories, or folders")
    parser.add_argument("--layers", nargs="+", default=STAGES, help="of the network")
    parser.add_argument("--data", type=Path, help="where the data are")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("size and effective rank of the features")
    print(f"{'run':34}", *(f"{name:>16}" for name in options.layers))
    for path in (path for folder in options.runs for path in run_directories(folder).finished):
        run = load_finished(path, options.data)
        chosen = evenly(torch.cat(run.experiment.test.segments), IMAGES)
        images = (scaled_to_unit_range(run.experiment.test.x[i]) for i in chosen.split(MINIBATCH))
        cells = []
        for found in outputs_of(run.model, options.layers, images).values():
            size = float(found.square().mean().sqrt())
            pooled = found.flatten(2).mean(dim=2) if found.dim() > 2 else found
            cells.append(f"{size:8.2f} {effective_rank(pooled):7.1f}")
        print(f"{path.name:34}", *cells)


if __name__ == "__main__":
    main()

"""Which problem does the released code of the paper set, and how does a method do at it?

It sorts the examples by label y of C classes and looks for the borders between classes with

    argmax of (y + i) mod C,      i = 0 ... C - 1,

taking what it finds for the last row of a class. All rows of a class tie, and since torch 1.7
argmax gives the first of them (the code asks for torch 1.8). So every border lies a class too
early: CIFAR-10's five tasks are {0}, {1, 2}, {3, 4}, {5, 6}, {7, 8}, give or take one image, and
class 9 is never seen or asked for.

    python analyses/released_split.py er --seed 0

trains the method on these tasks by the protocol, everything else being as in a run, and prints the
accuracy on each task's test images after the last batch and their mean, as a line of JSON. The
same line with `--right` is of the split by label equality.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch

from evoreplay import Config
from evoreplay.datasets import load_dataset
from evoreplay.random_state import named_generator
from evoreplay.running.assembly import make_learner
from evoreplay.running.protocol import HELD_OUT_FOR_VALIDATION, resolved
from evoreplay.running.setup import make_model, make_stream
from evoreplay.streams import class_groups, hold_out, indices_by_group

CHUNK, TOLD = 500, 475


def released_tasks(labels, classes, tasks):
    """Indices of each task's examples, cut where the released code cuts."""
    in_order = np.argsort(labels, kind="stable")
    ordered = labels[in_order]
    # numpy's argmax is the first of equals, as torch's has been since 1.7
    found = sorted(int(np.argmax((ordered + i) % classes)) for i in range(classes))
    borders = [0, *(place + 1 for place in found)]
    each = classes // tasks
    return [
        torch.from_numpy(in_order[borders[task * each] : borders[(task + 1) * each]])
        for task in range(tasks)
    ]


def task_pools(labels, classes, tasks, right):
    """By label equality, or as the released code has it."""
    if right:
        return indices_by_group(labels, class_groups(classes, tasks))
    return released_tasks(labels.numpy(), classes, tasks)


def classes_of(labels):
    """How many images of each class."""
    values, counts = labels.unique(return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def accuracies(learner, x, y, pools):
    """Share of each task's examples that is right."""
    found = []
    for pool in pools:
        right = [learner.predict(x[part]) == y[part] for part in pool.split(CHUNK)]
        found.append(float(torch.cat(right).double().mean()))
    return found


def trained(config, dataset, pools):
    """The learner after the stream."""
    split = named_generator(config.seed, "split")
    kept, _ = hold_out(pools, HELD_OUT_FOR_VALIDATION, split)
    stream = make_stream(config, dataset.train_x, dataset.train_y, kept)
    learner = make_learner(config, make_model(config, dataset), natural=dataset.natural)
    for number, (x, y) in enumerate(stream.batches()):
        if number % TOLD == 0:
            print(f"batch {number} of {stream.segment_ends[-1]}", file=sys.stderr, flush=True)
        learner.observe(x, y)
    return learner


def main():
    """Ask for a method, train it, and print the line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", help="for instance er or er+ld")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dataset", default="cifar10", help="one with a test split of its own")
    parser.add_argument("--recipe", default="reference")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--data", type=Path, help="folder of the data")
    parser.add_argument("--right", action="store_true", help="split by label equality")
    options = parser.parse_args()
    torch.set_num_threads(1)
    dataset = load_dataset(options.dataset, data=options.data)
    if dataset.test_y is None:
        parser.error(f"{options.dataset} has no test split of its own")
    config = resolved(
        Config(
            dataset=options.dataset,
            method=options.method,
            seed=options.seed,
            recipe=options.recipe,
            scale=options.scale,
            precision="float32",
            device="cpu",
        )
    )
    shape = (dataset.classes, config.segments, options.right)
    learner = trained(config, dataset, task_pools(dataset.train_y, *shape))
    test = task_pools(dataset.test_y, *shape)
    found = accuracies(learner, dataset.test_x, dataset.test_y, test)
    line = {
        "method": options.method,
        "seed": options.seed,
        "split": "right" if options.right else "released",
        "images": [classes_of(dataset.test_y[pool]) for pool in test],
        "accuracies": found,
        "mean": sum(found) / len(found),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()

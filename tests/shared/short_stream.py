"""Nine batches of different sizes, and a learner for them."""

import torch

import evoreplay as ev
from evoreplay.checks import example_batch, example_model

SIZES = (5, 1, 3, 8, 1, 1, 4, 20, 2)


def learner():
    model = example_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    memory = ev.ReservoirMemory(12)
    return ev.ReplayLearner(model, optimizer, memory=memory, evolution=ev.Langevin(steps=2))


def batches(sizes=SIZES):
    return [example_batch(number, size=size) for number, size in enumerate(sizes)]

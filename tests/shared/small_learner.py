"""A replay learner that can be followed by hand, for the tests of every part of its step."""

import copy
from dataclasses import replace

import torch
from torch import nn

from evoreplay import Langevin, MemoryEnergy, ReplayLearner, ReservoirMemory, UniformRetrieval

LAYER = "1"
"""Of `small_net` and `example_model`: the first linear layer, before BatchNorm."""


def small_net(batch_norm=True):
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(6) if batch_norm else nn.Identity()
    return nn.Sequential(nn.Flatten(), nn.Linear(12, 6), norm, nn.Softplus(), nn.Linear(6, 4))


def scaled(x):
    return x.float() / 127.5 - 1


class WatchedLinear(nn.Linear):
    """Notes the type of each of its results."""

    def __init__(self):
        super().__init__(12, 4)
        self.types = []

    def forward(self, x):
        out = super().forward(x)
        self.types.append(out.dtype)
        return out


class FixedRetrieval(UniformRetrieval):
    """The first slots, always."""

    def select(self, memory, context):
        return torch.arange(min(self.size, len(memory)))


class Shift(Langevin):
    """A flow that is easy to follow by hand: add 0.1."""

    def move(self, x, energy_gradient, generator):
        return x + 0.1


class WithoutShortcut(MemoryEnergy):
    """The same energy, which computes every gradient itself."""


def small_learner(model, lr=0.1, **options):
    """By the paper's recipe unless said otherwise: one term of replay to write out by hand."""
    options.setdefault("recipe", "paper")
    options.setdefault("memory", ReservoirMemory(8))
    options.setdefault("retrieval", UniformRetrieval(4))
    return ReplayLearner(model, torch.optim.SGD(model.parameters(), lr=lr), **options)


def learner_on_a_layer(model, lr=0.1, **options):
    options.setdefault("space", LAYER)
    options.setdefault("retrieval", FixedRetrieval(4))
    return small_learner(model, lr, **options)


def two_layer_learner(**options):
    """Features of the first layer are shifted by 0.1; with a rate of 1 a step is the gradient."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Softplus(), nn.Linear(5, 4)).double()
    return learner_on_a_layer(model, lr=1.0, evolution=Shift(), space="0", **options)


def logits_of_shifted(model, x):
    """Of such a model, written out: its features, moved by a constant, on to the logits."""
    features = x @ model[0].weight.T + model[0].bias + 0.1
    return torch.log1p(features.exp()) @ model[2].weight.T + model[2].bias


def text_batch(number, size=5):
    """Six tokens of 30 in each text; the first is half as long."""
    generator = torch.Generator().manual_seed(number)
    x = torch.randint(1, 30, (size, 6), generator=generator, dtype=torch.int16)
    x[0, 3:] = 0
    return x, torch.randint(4, (size,), generator=generator)


def doubled(batch, context):
    return replace(batch, inputs=batch.inputs + 0.5, companions=batch.inputs)


class Doubling:
    """A transform that replays raw copies beside changed ones."""

    apply = staticmethod(doubled)

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


def observed_twice(learner):
    """Two batches, after which the learner is one step on; and the model before that step."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 6, 3, generator=generator, dtype=torch.float64)
    y = torch.randint(4, (2, 6), generator=generator)
    learner.observe(x[0], y[0])
    before = copy.deepcopy(learner.model)
    learner.observe(x[1], y[1])
    return x, y, before

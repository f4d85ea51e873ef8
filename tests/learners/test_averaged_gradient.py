import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import AveragedGradientLearner, ReservoirMemory
from evoreplay.checks import LEARNER_CHECKS


def make(model, **options):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return AveragedGradientLearner(model, optimizer, memory=ReservoirMemory(12), **options)


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
def test_it_passes_the_generic_checks(check):
    check(lambda model: make(model, reference=6))


def flat_oracle(model, stream, memory):
    """The projection in one numpy vector."""

    def gradient(x, y):
        copied = copy.deepcopy(model)
        cross_entropy(copied(x), y).backward()
        return np.concatenate([p.grad.numpy().ravel() for p in copied.parameters()]).astype(float)

    g, reference = gradient(*stream), gradient(*memory)
    if g @ reference < 0:
        g = g - (g @ reference) / (reference @ reference) * reference
    return g, reference


@pytest.mark.parametrize("opposed", [True, False])
def test_the_step_is_that_of_a_flat_vector_oracle(opposed):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(10, 4, generator=generator)
    y = (x[:, 0] > 0).long()
    learner = make(model)
    learner.memory.add(x, y)
    stream = (x[:6], 1 - y[:6] if opposed else y[:6])
    before = torch.cat([p.detach().flatten() for p in model.parameters()]).double().numpy()
    expected, reference = flat_oracle(model, stream, (x, y))
    learner.observe(*stream)
    after = torch.cat([p.detach().flatten() for p in model.parameters()]).double().numpy()
    step = (before - after) / 0.1
    np.testing.assert_allclose(step, expected, atol=2e-6)
    # never against the reference, rounding aside; and untouched where they agreed
    assert step @ reference > -1e-5 * (reference @ reference)
    assert bool(abs(step @ reference) < 1e-4) is opposed


def test_without_memory_or_with_a_zero_reference_the_step_is_plain():
    for fill in (False, True):
        model = nn.Linear(3, 2)
        plain = copy.deepcopy(model)
        learner = make(model)
        if fill:
            # inputs of zero and a symmetric head: the weight's reference gradient is zero
            with torch.no_grad():
                model.bias.zero_()
                plain.bias.zero_()
            learner.memory.add(torch.zeros(2, 3), torch.tensor([0, 1]))
        x, y = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
        learner.observe(x, y)
        cross_entropy(plain(x), y).backward()
        torch.optim.SGD(plain.parameters(), lr=0.1).step()
        torch.testing.assert_close(model.weight, plain.weight)


def test_no_more_than_256_examples_are_asked_for():
    seen = []

    class Watch(nn.Linear):
        def forward(self, x):
            seen.append(len(x))
            return super().forward(x)

    model = Watch(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    learner = AveragedGradientLearner(model, optimizer, memory=ReservoirMemory(1000))
    learner.memory.add(torch.randn(600, 2), torch.arange(600) % 2)
    learner.observe(torch.randn(10, 2), torch.arange(10) % 2)
    assert seen[-2:] == [10, 256]

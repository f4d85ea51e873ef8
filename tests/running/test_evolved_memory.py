import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import Langevin, MemoryEnergy, ReplayLearner, ReservoirMemory
from evoreplay.checks import same
from evoreplay.running.evolved_memory import MemoryEvolution


def trained_learner(*, temperature=1.0, dropout=0.0):
    torch.manual_seed(0)
    layers = [nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(dropout), nn.Tanh(), nn.Linear(8, 2)]
    model = nn.Sequential(*layers)
    learner = ReplayLearner(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1),
        memory=ReservoirMemory(12),
        evolution=Langevin(steps=1, rate=0.05, temperature=temperature),
        energy=MemoryEnergy(alignment=0.0),
    )
    for _ in range(4):
        learner.observe(torch.randn(4, 3), torch.randint(2, (4,)))
    return learner


def test_one_step_without_noise_goes_up_the_gradient_of_the_loss():
    learner = trained_learner(temperature=0.0)
    slots = torch.tensor([0, 3, 5, 8])
    found = MemoryEvolution(learner, seed=0, name="x").of(slots)
    held = learner.memory.gather(slots)
    model = copy.deepcopy(learner.model).train()
    x = held.x.clone().requires_grad_()
    losses = cross_entropy(model(x), held.y, reduction="none")
    (gradient,) = torch.autograd.grad(losses.sum(), x)
    torch.testing.assert_close(found.raw.inputs, held.x)
    torch.testing.assert_close(found.evolved.inputs, held.x + 0.05 * gradient)
    torch.testing.assert_close(found.loss_before, losses.detach())
    after = cross_entropy(model(held.x + 0.05 * gradient), held.y, reduction="none")
    torch.testing.assert_close(found.loss_after, after.detach())


def test_the_learner_and_the_global_randomness_do_not_notice():
    learner = trained_learner(dropout=0.5)
    before, random_state = copy.deepcopy(learner.state_dict()), torch.get_rng_state()
    MemoryEvolution(learner, seed=0, name="x").of(torch.arange(6))
    assert same(before, learner.state_dict())
    assert torch.equal(random_state, torch.get_rng_state())


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_it_is_the_same_whatever_the_global_randomness_and_other_for_another_name(dropout):
    learner = trained_learner(dropout=dropout)
    found = []
    for seed, name in ((1, "a"), (2, "a"), (2, "b")):
        torch.manual_seed(seed)
        evolution = MemoryEvolution(learner, seed=0, name=name)
        found.append([evolution.of(slots).evolved.inputs for slots in (torch.arange(6),) * 2])
    assert torch.equal(found[0][0], found[1][0])
    assert torch.equal(found[0][1], found[1][1])
    assert not torch.equal(found[0][0], found[0][1])
    assert not torch.equal(found[1][0], found[2][0])

"""How often the model is passed, in which precision, and what learns from a pass."""

from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import Hamiltonian, Langevin, MemoryEnergy, Stein, split_at
from evoreplay.checks import example_batch
from evoreplay.learners.passes import Passes, Term
from shared.small_learner import (
    LAYER,
    FixedRetrieval,
    WatchedLinear,
    WithoutShortcut,
    learner_on_a_layer,
    logits_of_shifted,
    observed_twice,
    small_learner,
    small_net,
    two_layer_learner,
)


def autocast(enabled):
    return nullcontext()


def test_one_pass_of_several_terms_moves_each_by_its_own_shift():
    model = small_net(batch_norm=False)
    passes = Passes(model, split_at(model, LAYER), autocast)
    x = torch.randn(5, 12, generator=torch.Generator().manual_seed(0))
    labels = torch.zeros(5, dtype=torch.long)
    shift = torch.full((3, 6), 0.5)
    found = passes.logits(Term(1.0, x[:2], labels[:2]), Term(1.0, x[2:], labels[2:], shift))
    moved = model[1](x[2:]) + 0.5
    torch.testing.assert_close(found, torch.cat([model(x[:2]), model[2:](moved)]))


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_a_pass_to_the_particles_gives_the_gradient_of_the_sum_and_trains_by_its_weight(weight):
    model = small_net(batch_norm=False)
    passes = Passes(model, None, autocast)
    x = torch.randn(4, 12, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(4)
    found = passes.raw_to_particles(Term(weight, x, labels))
    # by hand: the softmax minus the label, through the two linear layers
    with torch.no_grad():
        hidden = model[1](x)
        off = model[4](hidden.exp().add(1).log()).softmax(1) - torch.eye(4)
        by_hand = ((off @ model[4].weight) * hidden.sigmoid()) @ model[1].weight
    assert torch.equal(found.ascent.at, x)
    torch.testing.assert_close(found.ascent.value, by_hand)
    if weight == 0:
        assert model[4].bias.grad is None
    else:
        torch.testing.assert_close(model[4].bias.grad, weight * off.mean(0))


@pytest.mark.parametrize("flow", [Langevin, Stein, Hamiltonian], ids=lambda flow: flow.__name__)
@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("statistics", ["raw", "all"])
@pytest.mark.parametrize("write_back", [False, True])
def test_the_raw_pass_serves_the_first_evolution_step_without_a_difference(
    flow, recipe, statistics, write_back
):
    models = small_net().double(), small_net().double()
    forwards = [0, 0]
    for number, kind in enumerate((MemoryEnergy, WithoutShortcut)):
        learner = small_learner(
            models[number],
            evolution=flow(steps=3, rate=0.3),
            energy=kind(alignment=0.0, proximity=0.5),
            recipe=recipe,
            statistics=statistics,
            write_back=write_back,
            prepare=lambda x: x.double() / 127.5 - 1,
            retrieval=FixedRetrieval(4),
        )

        def count(module, inputs, output, number=number):
            forwards[number] += 1

        models[number].register_forward_hook(count)
        for step in range(4):
            learner.observe(*example_batch(step))
    for a, b in zip(models[0].state_dict().values(), models[1].state_dict().values(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-7)  # deltas are float32
    # one pass less in each of the three steps that replay
    spared = 0 if (recipe, statistics) == ("paper", "all") else 3
    assert forwards[1] - forwards[0] == spared


def test_bfloat16_training_still_evolves_in_float32_when_gradients_are_aligned():
    def seen(alignment):
        torch.manual_seed(0)
        watched = WatchedLinear()
        model = nn.Sequential(nn.Flatten(), watched)
        energy = MemoryEnergy(alignment=alignment)
        learner = small_learner(
            model, evolution=Langevin(steps=3), energy=energy, precision="bfloat16"
        )
        learner.observe(*example_batch(0))
        watched.types.clear()
        learner.observe(*example_batch(1))
        return watched.types

    # stream, raw pass, three steps of evolution, evolved pass
    low, full = torch.bfloat16, torch.float32
    assert seen(0.003) == [low, full, full, full, full, low]
    # the raw pass is the first step's
    assert seen(0.0) == [low, low, low, low, low]


def test_evolution_uses_no_parameter_gradients_and_one_backward_per_step():
    calls = []

    class Counting(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            calls.append(1)
            return gradient

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(12, 4)

        def forward(self, x):
            return self.linear(Counting.apply(x.flatten(1)))

    learner = small_learner(Net(), evolution=Langevin(steps=5), recipe="reference")
    learner.observe(*example_batch(0))
    calls.clear()
    learner.observe(*example_batch(1))
    # only inputs that ask for gradients reach the counter: the five evolution steps
    assert len(calls) == 5


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_the_raw_pass_serves_the_first_step_and_gives_the_features(recipe):
    models = small_net().double(), small_net().double()
    lifts, heads = [0, 0], [0, 0]
    for number, kind in enumerate((MemoryEnergy, WithoutShortcut)):
        learner = learner_on_a_layer(
            models[number],
            evolution=Langevin(steps=3, rate=0.3),
            energy=kind(alignment=0.0),
            recipe=recipe,
            prepare=lambda x: x.double() / 127.5 - 1,
        )
        learner.observe(*example_batch(0))

        def lifted(module, inputs, output, number=number):
            lifts[number] += 1

        def headed(module, inputs, output, number=number):
            heads[number] += 1

        models[number][1].register_forward_hook(lifted)
        models[number][4].register_forward_hook(headed)
        learner.observe(*example_batch(1))
    for a, b in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(a, b)
    # the lift: stream, raw, evolved; the head: two more steps, three without the shortcut
    assert lifts == [3, 3]
    assert heads == [5, 6]


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("forward", ["separate", "joint"])
def test_the_gradient_reaches_the_lift_through_the_moved_features(recipe, forward):
    learner = two_layer_learner(recipe=recipe, forward=forward, energy=MemoryEnergy())
    x, y, before = observed_twice(learner)
    replayed, labels = x[0, :4], y[0, :4]
    moved = logits_of_shifted(before, replayed)
    loss = cross_entropy(before(x[1]), y[1]) + cross_entropy(moved, labels)
    if recipe == "reference":
        loss = loss + cross_entropy(before(replayed), labels)
    loss.backward()
    for old, new in zip(before.parameters(), learner.model.parameters(), strict=True):
        torch.testing.assert_close(old.detach() - new.detach(), old.grad)
    assert before[0].weight.grad.abs().sum() > 0

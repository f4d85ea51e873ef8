"""On a layer the input may take a step beside: up its own loss, as far as `input_rate` says."""

import copy

import pytest
import torch
from torch.nn.functional import cross_entropy

from evoreplay import Langevin, MemoryEnergy, Noise, ReplayLearner, UserError
from evoreplay.checks import example_batch, same
from evoreplay.learners.passes import RawPass
from evoreplay.random_state import named_generator
from evoreplay.running.evolved_memory import MemoryEvolution
from shared.small_learner import (
    LAYER,
    WithoutShortcut,
    learner_on_a_layer,
    logits_of_shifted,
    observed_twice,
    small_learner,
    small_net,
    two_layer_learner,
)

STEP = 0.25


def stepped_by_hand(model, x, y, rate):
    """Each example by central differences of its own loss, scaled to RMS `rate`."""
    reach, moved = 1e-6, []
    for one, label in zip(x, y, strict=True):
        slopes = torch.zeros_like(one)
        for i in range(len(one)):
            ahead, behind = one.clone(), one.clone()
            ahead[i] += reach
            behind[i] -= reach
            pair = torch.stack([ahead, behind])
            losses = cross_entropy(model(pair), label.repeat(2), reduction="none")
            slopes[i] = (losses[0] - losses[1]) / (2 * reach)
        moved.append(one + rate * slopes / slopes.square().mean().sqrt())
    return torch.stack(moved)


@pytest.mark.parametrize(("recipe", "raw_weight"), [("paper", 0.0), ("reference", 1.0)])
@pytest.mark.parametrize("forward", ["separate", "joint"])
@pytest.mark.parametrize("energy", [MemoryEnergy, WithoutShortcut])
def test_what_is_replayed_is_the_head_of_the_stepped_inputs_features_and_their_shift(
    recipe, raw_weight, forward, energy
):
    learner = two_layer_learner(
        recipe=recipe, forward=forward, input_rate=STEP, energy=energy(alignment=0.0)
    )
    x, y, before = observed_twice(learner)
    past, labels = x[0, :4], y[0, :4]
    with torch.no_grad():
        stepped = stepped_by_hand(before, past, labels, STEP)
    loss = cross_entropy(before(x[1]), y[1])
    loss = loss + raw_weight * cross_entropy(before(past), labels)
    loss = loss + cross_entropy(logits_of_shifted(before, stepped), labels)
    gradients = torch.autograd.grad(loss, list(before.parameters()))
    for new, old, gradient in zip(
        learner.model.parameters(), before.parameters(), gradients, strict=True
    ):
        torch.testing.assert_close(new, old - gradient, rtol=1e-5, atol=1e-7)


def test_with_the_dot_product_the_input_still_goes_up_its_own_loss():
    learners = [
        two_layer_learner(recipe="paper", input_rate=STEP, energy=MemoryEnergy(alignment=a))
        for a in (0.0, 0.003)
    ]
    for learner in learners:
        observed_twice(learner)
    assert same(learners[0].model.state_dict(), learners[1].model.state_dict())


def test_the_raw_pass_and_a_pass_of_its_own_give_the_same_step():
    learner = learner_on_a_layer(
        small_net(), recipe="reference", evolution=Langevin(), input_rate=STEP
    )
    learner.observe(*example_batch(0, size=8))
    batch, evolving = learner.examples(torch.arange(4)), learner.evolving()
    x = batch.inputs.clone().requires_grad_()
    logits = copy.deepcopy(learner.model)(x)
    (ascent,) = torch.autograd.grad(cross_entropy(logits, batch.labels), x)
    alone, shared = (
        evolving.evolved(batch, known, named_generator(0, "evolution")).inputs
        for known in (RawPass(), RawPass(input_ascent=ascent))
    )
    torch.testing.assert_close(alone, shared)
    distances = (alone - batch.inputs).square().flatten(1).mean(dim=1).sqrt()
    torch.testing.assert_close(distances, torch.full_like(distances, STEP))


def test_noise_goes_as_far_in_the_input_in_a_random_direction():
    learner = learner_on_a_layer(
        small_net(), evolution=Noise(steps=0), input_rate=STEP, recipe="reference"
    )
    for number in range(2):
        learner.observe(*example_batch(number, size=8))
    evolution = MemoryEvolution(learner, seed=0, name="test")
    found = [evolution.of(torch.arange(8)) for _ in range(200)]
    moved = torch.cat([(f.evolved.inputs - f.raw.inputs).flatten() for f in found])
    assert float(moved.std()) == pytest.approx(STEP, rel=0.03)
    assert float(moved.mean()) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_a_step_of_size_nothing_is_no_step_to_the_byte(recipe):
    models = [small_net(), small_net()]
    for model, options in zip(models, [{}, {"input_rate": 0.0}], strict=True):
        learner = learner_on_a_layer(model, recipe=recipe, evolution=Langevin(), **options)
        for number in range(3):
            learner.observe(*example_batch(number, size=6))
    assert same(models[0].state_dict(), models[1].state_dict())


def test_a_saved_learner_goes_on_with_its_step(tmp_path):
    model = small_net()
    learner = learner_on_a_layer(model, evolution=Langevin(), input_rate=STEP)
    learner.observe(*example_batch(0, size=6))
    learner.save(tmp_path / "state")
    other = small_net()
    loaded = ReplayLearner.load(
        tmp_path / "state",
        model=other,
        optimizer=torch.optim.SGD(other.parameters(), lr=0.1),
        retrieval=learner.retrieval,
    )
    assert loaded.input_rate == STEP
    for one in (learner, loaded):
        one.observe(*example_batch(1, size=6))
    assert same(model.state_dict(), other.state_dict())


@pytest.mark.parametrize("rate", [-0.1, float("nan"), float("inf")])
def test_a_size_that_is_none_is_refused(rate):
    with pytest.raises(UserError, match=r"input_rate is .*; give 0 or more"):
        learner_on_a_layer(small_net(), evolution=Langevin(), input_rate=rate)


def test_where_the_input_itself_evolves_there_is_no_step_beside():
    with pytest.raises(UserError, match="name a layer"):
        small_learner(small_net(), evolution=Langevin(), input_rate=STEP)


def test_without_a_flow_there_is_nothing_beside_which_to_step():
    with pytest.raises(UserError, match="there is no flow"):
        small_learner(small_net(), space=LAYER, input_rate=STEP)

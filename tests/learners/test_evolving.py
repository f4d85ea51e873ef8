"""Where a minibatch goes in the space where it evolves."""

import copy
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy

from evoreplay import Batch, Langevin, MemoryEnergy, Noise, ReservoirMemory
from evoreplay.checks import example_batch
from evoreplay.learners.evolving import Evolving, displacement, written
from evoreplay.learners.passes import RawPass
from shared.small_learner import (
    LAYER,
    Doubling,
    FixedRetrieval,
    Shift,
    WithoutShortcut,
    learner_on_a_layer,
    scaled,
    small_learner,
    small_net,
)


def batch_of(inputs, **changes):
    count = torch.arange(len(inputs))
    return Batch(inputs, count % 4, count, anchors=inputs, writes=count, **changes)


def evolving(flow=None, **energy):
    model = small_net()
    return Evolving(model, None, flow or Langevin(), MemoryEnergy(**energy))


def test_the_reference_gradient_is_needed_by_a_flow_on_an_energy_with_a_dot_product():
    assert evolving(alignment=0.003).needs_reference_gradient
    assert not evolving(alignment=0.0).needs_reference_gradient
    assert not evolving(Noise(), alignment=0.003).needs_reference_gradient


def test_only_our_own_energy_begins_at_the_raw_pass_and_only_where_that_is_what_evolves():
    batch = batch_of(torch.zeros(3, 12))
    assert evolving().begins_at(batch)
    assert not evolving(Noise()).begins_at(batch)
    assert not evolving().begins_at(replace(batch, companions=batch.inputs))
    own = Evolving(small_net(), None, Langevin(), WithoutShortcut())
    assert not own.begins_at(batch)


class Bowl:
    """U(x) = |x - x_raw - 1|^2 / 2: an energy with the one method that it must have."""

    def bind(self, model, x_raw, y):
        return lambda x: x - x_raw - 1


def test_an_energy_needs_no_more_than_bind_and_a_learner_with_it_can_be_saved(tmp_path):
    flow = Langevin(steps=1, rate=0.5, temperature=0.0)
    batch = batch_of(torch.zeros(3, 12))
    own = Evolving(small_net(), None, flow, Bowl())
    moved = own.evolved(batch, RawPass(), torch.Generator()).inputs
    assert torch.equal(moved, torch.full((3, 12), 0.5))
    learner = small_learner(small_net(), evolution=flow, energy=Bowl())
    for number in range(3):
        learner.observe(*example_batch(number))
    learner.save(tmp_path)
    other = small_learner(small_net())
    loaded = type(learner).load(
        tmp_path, model=other.model, optimizer=other.optimizer, energy=Bowl()
    )
    assert loaded.observe(*example_batch(3)) == learner.observe(*example_batch(3))


def test_what_is_moved_and_what_is_written_are_inputs_or_shifts():
    raw = batch_of(torch.zeros(2, 3))
    before = replace(raw, inputs=raw.inputs + 1.0)
    after = replace(before, inputs=raw.inputs + 1.5)
    assert displacement(before, after).unique().tolist() == [0.5]
    assert written(after).unique().tolist() == [1.5]
    before = replace(raw, shift=torch.full((2, 5), 1.0))
    after = replace(raw, shift=torch.full((2, 5), 1.5))
    assert displacement(before, after).unique().tolist() == [0.5]
    assert displacement(raw, after).unique().tolist() == [1.5]
    assert written(after).unique().tolist() == [1.5]


@pytest.mark.parametrize("forward", ["separate", "joint"])
def test_the_reference_gradient_is_that_of_the_raw_minibatch_whatever_the_transform(forward):
    seen = []

    class Watching(MemoryEnergy):
        def bind(self, model, x_raw, y, *, reference_gradient=None):
            seen.append((x_raw, y, reference_gradient))
            return super().bind(model, x_raw, y, reference_gradient=reference_gradient)

    model = small_net()
    learner = small_learner(
        model,
        retrieval=FixedRetrieval(4),
        transforms=[Doubling()],
        evolution=Shift(),
        energy=Watching(),
        forward=forward,
    )
    first = example_batch(0, size=6)
    learner.observe(*first)
    before = copy.deepcopy(model)
    learner.observe(*example_batch(1, size=6))
    cross_entropy(before(scaled(first[0][:4])), first[1][:4]).backward()
    (_, _, gradient) = seen[0]
    for name, parameter in before.named_parameters():
        torch.testing.assert_close(gradient[name], parameter.grad)


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("alignment", [0.0, 0.003])
@pytest.mark.parametrize("mode", ["fused", "central", "exact"])
def test_features_go_where_gradient_ascent_through_the_head_takes_them(recipe, alignment, mode):
    model = small_net().double()
    learner = learner_on_a_layer(
        model,
        lr=0.0,
        evolution=Langevin(steps=3, rate=0.5, temperature=0),
        energy=MemoryEnergy(alignment=alignment, mode=mode),
        recipe=recipe,
        write_back=True,
        prepare=lambda x: x.double() / 127.5 - 1,
    )
    first = example_batch(0, size=4)
    learner.observe(*first)
    learner.memory.add = lambda x, y, context=None: None
    learner.observe(*example_batch(1))
    delta = learner.memory.gather(torch.arange(4)).delta
    # by autograd on a copy, the dot product by double backward over the head alone
    copied = small_net().double().train()
    x, y = scaled(first[0]).double(), first[1]
    raw = cross_entropy(copied(x), y)
    head = [*copied[2].parameters(), *copied[4].parameters()]
    reference = torch.autograd.grad(raw, head)
    start = copied[1](x.flatten(1)).detach()
    z = start.clone()
    for _ in range(3):
        z.requires_grad_()
        loss = cross_entropy(copied[2:](z), y, reduction="sum")
        found = torch.autograd.grad(loss, head, create_graph=True)
        dots = sum((a * b).sum() for a, b in zip(found, reference, strict=True))
        (ascent,) = torch.autograd.grad(loss + alignment * dots, z)
        z = (z + 0.5 * ascent).detach()
    tolerance = {"rtol": 2e-2, "atol": 2e-4} if alignment and mode == "fused" else {}
    tolerance = tolerance or {"rtol": 1e-4, "atol": 1e-6}
    torch.testing.assert_close(delta.double(), z - start, **tolerance)
    assert (z - start).abs().max() > 0.01


def test_one_normalised_rate_moves_features_of_any_scale_by_the_same_share():
    shares = []
    for scale in (1.0, 1000.0):
        model = small_net()
        with torch.no_grad():
            model[1].weight.mul_(scale)
            model[1].bias.mul_(scale)
        flow = Langevin(steps=2, rate=0.02, step="normalised")
        learner = learner_on_a_layer(model, lr=0.0, evolution=flow, write_back=True)
        first = example_batch(0, size=4)
        learner.observe(*first)
        learner.memory.add = lambda x, y, context=None: None
        learner.observe(*example_batch(1))
        z = model[1](scaled(first[0]).flatten(1)).detach()
        delta = learner.memory.gather(torch.arange(4)).delta
        shares.append(delta.square().mean(1).sqrt() / z.square().mean(1).sqrt())
    # noise of two steps, sqrt(2 * 0.02 * 2), and a gradient of at most 0.04
    assert shares[0].mean() == pytest.approx(0.283, rel=0.4)
    torch.testing.assert_close(shares[0], shares[1], rtol=0.15, atol=0.02)


@pytest.mark.parametrize("space", [None, LAYER])
def test_proximity_pulls_towards_the_raw_example_and_not_the_written_one(space):
    anchors = []

    class Watching(MemoryEnergy):
        def bind(self, model, x_raw, y, **options):
            anchors.append(x_raw.clone())
            return super().bind(model, x_raw, y, **options)

    model = small_net()
    learner = learner_on_a_layer(
        model,
        lr=0.0,
        memory=ReservoirMemory(2),
        evolution=Shift(),
        energy=Watching(),
        write_back=True,
        space=space,
    )
    first = example_batch(0, size=2)
    learner.observe(*first)
    learner.memory.add = lambda x, y, context=None: None
    for number in range(1, 4):
        learner.observe(*example_batch(number))
    raw = scaled(first[0])
    expected = raw if space is None else model[1](raw.flatten(1)).detach()
    assert len(anchors) == 3
    for anchor in anchors:
        torch.testing.assert_close(anchor, expected)

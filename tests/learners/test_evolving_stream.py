"""The incoming batch evolves, too: one more mean in the loss, and nothing else."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import Langevin, MemoryEnergy, Noise
from evoreplay.checks import example_batch, same
from shared.small_learner import (
    LAYER,
    Doubling,
    FixedRetrieval,
    Shift,
    WatchedLinear,
    WithoutShortcut,
    logits_of_shifted,
    observed_twice,
    scaled,
    small_learner,
    small_net,
    two_layer_learner,
)

FORWARDS = pytest.mark.parametrize("forward", ["separate", "joint"])
ALIGNMENTS = pytest.mark.parametrize("alignment", [0.0, 0.003])


def losses_by_hand(model, parts, forward):
    """Mean cross-entropies, from forwards of their own or from one of all."""
    if forward == "separate":
        return [cross_entropy(model(x), y) for x, y in parts]
    logits = model(torch.cat([x for x, _ in parts])).split([len(x) for x, _ in parts])
    return [cross_entropy(part, y) for part, (_, y) in zip(logits, parts, strict=True)]


def assert_stepped(model, before, loss, lr):
    """The model is where one step of SGD on `loss`, a loss of `before`, leads."""
    gradients = torch.autograd.grad(loss, list(before.parameters()))
    for new, old, gradient in zip(model.parameters(), before.parameters(), gradients, strict=True):
        torch.testing.assert_close(new, old - lr * gradient)


@pytest.mark.parametrize(
    ("options", "raw", "evolved"),
    [
        ({"recipe": "paper"}, 0.0, 1.0),
        ({"recipe": "reference"}, 1.0, 1.0),
        ({"raw_weight": 0.5, "evolved_weight": 0.25}, 0.5, 0.25),
    ],
)
@FORWARDS
@ALIGNMENTS
def test_the_evolved_stream_is_one_more_mean_from_the_first_batch_on(
    options, raw, evolved, forward, alignment
):
    model = small_net()
    learner = small_learner(
        model,
        retrieval=FixedRetrieval(4),
        evolution=Shift(),
        evolve_stream=True,
        forward=forward,
        energy=MemoryEnergy(alignment=alignment),
        **options,
    )
    first, second = example_batch(0, size=6), example_batch(1, size=5)
    before = copy.deepcopy(model)
    step = learner.observe(*first)
    x, y = scaled(first[0]), first[1]
    stream, moved = losses_by_hand(before, [(x, y), (x + 0.1, y)], forward)
    assert_stepped(model, before, stream + evolved * moved, lr=0.1)
    assert step.stream_loss == pytest.approx(stream.item())
    assert step.replay_loss is None

    before = copy.deepcopy(model)
    step = learner.observe(*second)
    past, labels, x, y = x[:4], y[:4], scaled(second[0]), second[1]
    weighted = [
        (1.0, (x, y)),
        (evolved, (x + 0.1, y)),
        (raw, (past, labels)),
        (evolved, (past + 0.1, labels)),
    ]
    weighted = [(weight, part) for weight, part in weighted if weight > 0]
    losses = losses_by_hand(before, [part for _, part in weighted], forward)
    terms = [weight * loss for (weight, _), loss in zip(weighted, losses, strict=True)]
    assert_stepped(model, before, sum(terms), lr=0.1)
    assert step.stream_loss == pytest.approx(losses[0].item())
    # the evolved stream is no part of what is reported of the replay
    assert step.replay_loss == pytest.approx(sum(terms[2:]).item())
    assert step.loss_after == pytest.approx(losses[-1].item())


@FORWARDS
@pytest.mark.parametrize("alignment", [0.0, 0.7])
def test_the_stream_climbs_its_own_energy_whose_reference_gradient_is_its_own(forward, alignment):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Softplus(), nn.Linear(5, 4)).double()
    learner = small_learner(
        model,
        retrieval=FixedRetrieval(4),
        evolution=Langevin(steps=2, rate=0.3, temperature=0.0),
        energy=MemoryEnergy(alignment=alignment, mode="exact"),
        evolve_stream=True,
        forward=forward,
    )
    x, y, before = observed_twice(learner)
    parameters = list(before.parameters())

    def evolved(x, y):
        """Each example up its own -U, written out."""
        mean = torch.autograd.grad(cross_entropy(before(x), y), parameters)
        moved = []
        for one, label in zip(x.split(1), y.split(1), strict=True):
            for _ in range(2):
                one = one.detach().requires_grad_()
                loss = cross_entropy(before(one), label)
                own = torch.autograd.grad(loss, parameters, create_graph=True)
                dot = sum((a * b).sum() for a, b in zip(own, mean, strict=True))
                one = one + 0.3 * torch.autograd.grad(loss + alignment * dot, one)[0]
            moved.append(one.detach())
        return torch.cat(moved)

    past, labels = x[0, :4], y[0, :4]
    loss = (
        cross_entropy(before(x[1]), y[1])
        + cross_entropy(before(evolved(x[1], y[1])), y[1])
        + cross_entropy(before(evolved(past, labels)), labels)
    )
    assert_stepped(model, before, loss, lr=0.1)


@FORWARDS
@ALIGNMENTS
def test_on_a_layer_the_gradient_reaches_the_lift_through_the_moved_features(forward, alignment):
    learner = two_layer_learner(
        evolve_stream=True, forward=forward, energy=MemoryEnergy(alignment=alignment)
    )
    x, y, before = observed_twice(learner)
    loss = cross_entropy(before(x[1]), y[1])
    for inputs, labels in ((x[1], y[1]), (x[0, :4], y[0, :4])):
        loss = loss + cross_entropy(logits_of_shifted(before, inputs), labels)
    assert_stepped(learner.model, before, loss, lr=1.0)


@FORWARDS
def test_the_noise_control_learns_a_noisy_copy_of_the_stream(forward):
    model = small_net()
    flow = Noise(steps=3, rate=0.1)
    learner = small_learner(model, evolution=flow, evolve_stream=True, forward=forward)
    before = copy.deepcopy(model)
    drawn = learner.generators["evolution"].clone_state()
    x, y = example_batch(0)
    learner.observe(x, y)
    x = scaled(x)
    noisy = x + (2 * 0.1 * 3) ** 0.5 * torch.randn(x.shape, generator=drawn)
    assert_stepped(model, before, sum(losses_by_hand(before, [(x, y), (noisy, y)], forward)), 0.1)


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("space", [None, LAYER])
@ALIGNMENTS
def test_running_statistics_see_the_raw_stream_once_and_nothing_evolved(recipe, space, alignment):
    plain, evolving = small_net(), small_net()
    er = small_learner(plain, lr=0.0)
    learner = small_learner(
        evolving,
        lr=0.0,
        evolution=Langevin(steps=2, rate=0.1),
        evolve_stream=True,
        recipe=recipe,
        space=space,
        energy=MemoryEnergy(alignment=alignment),
    )
    for number in range(4):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
        assert same(dict(plain.named_buffers()), dict(evolving.named_buffers()))


def test_joint_forwards_keep_the_running_statistics_clean_from_the_first_batch_on():
    plain, evolving = small_net(), small_net()
    er = small_learner(plain, lr=0.0, forward="joint")
    learner = small_learner(
        evolving, lr=0.0, forward="joint", evolution=Shift(), evolve_stream=True
    )
    for number in range(3):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
        torch.testing.assert_close(plain[2].running_mean, evolving[2].running_mean)
        torch.testing.assert_close(plain[2].running_var, evolving[2].running_var)


@pytest.mark.parametrize("flow", [Langevin(steps=1), Noise(steps=1)], ids=["flow", "control"])
def test_statistics_all_lets_the_evolved_stream_in(flow):
    model = small_net()
    learner = small_learner(model, evolution=flow, evolve_stream=True, statistics="all")
    for number in range(3):
        learner.observe(*example_batch(number))
    # 3 of the stream, 3 of the evolved stream, 2 of evolved replay
    assert int(model[2].num_batches_tracked) == 8


def test_companions_of_the_replay_take_nothing_from_the_weight_of_the_evolved_stream():
    model = small_net()
    learner = small_learner(
        model,
        retrieval=FixedRetrieval(4),
        transforms=[Doubling()],
        evolution=Shift(),
        evolve_stream=True,
    )
    first, second = example_batch(0, size=6), example_batch(1, size=6)
    learner.observe(*first)
    before = copy.deepcopy(model)
    learner.observe(*second)
    past, labels, x, y = scaled(first[0][:4]), first[1][:4], scaled(second[0]), second[1]
    loss = cross_entropy(before(x), y) + cross_entropy(before(x + 0.1), y)
    loss = loss + 0.5 * cross_entropy(before(past), labels)
    loss = loss + 0.5 * cross_entropy(before(past + 0.5 + 0.1), labels)
    assert_stepped(model, before, loss, lr=0.1)


@FORWARDS
@ALIGNMENTS
def test_retrieval_is_told_of_a_step_on_the_raw_stream_alone(forward, alignment):
    told = []

    class Watching(FixedRetrieval):
        def select(self, memory, context):
            told.append(dict(context.stepped_parameters))
            return super().select(memory, context)

    model = small_net()
    learner = small_learner(
        model,
        retrieval=Watching(4),
        evolution=Langevin(steps=2),
        energy=MemoryEnergy(alignment=alignment),
        evolve_stream=True,
        forward=forward,
    )
    learner.observe(*example_batch(0))
    before = copy.deepcopy(model)
    x, y = example_batch(1)
    learner.observe(x, y)
    cross_entropy(before(scaled(x)), y).backward()
    torch.optim.SGD(before.parameters(), lr=0.1).step()
    torch.testing.assert_close(told[0], {n: p.detach() for n, p in before.named_parameters()})


@pytest.mark.parametrize("space", [None, LAYER])
def test_the_pass_of_the_stream_is_that_of_the_first_evolution_step(space):
    models, forwards = (small_net().double(), small_net().double()), [0, 0]
    for number, kind in enumerate((MemoryEnergy, WithoutShortcut)):
        learner = small_learner(
            models[number],
            evolution=Langevin(steps=3, rate=0.3),
            energy=kind(alignment=0.0, proximity=0.5),
            evolve_stream=True,
            space=space,
            prepare=lambda x: x.double() / 127.5 - 1,
        )
        learner.observe(*example_batch(0))

        def count(module, inputs, output, number=number):
            forwards[number] += 1

        models[number][4].register_forward_hook(count)
        learner.observe(*example_batch(1))
    for a, b in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(a, b)
    # raw and evolved stream, raw and evolved replay, and two or three more steps of each
    assert forwards == [4 + 2 * 2, 4 + 2 * 3]


def test_bfloat16_training_still_evolves_the_stream_in_float32_when_gradients_are_aligned():
    def seen(alignment):
        torch.manual_seed(0)
        watched = WatchedLinear()
        learner = small_learner(
            nn.Sequential(nn.Flatten(), watched),
            evolution=Langevin(steps=2),
            energy=MemoryEnergy(alignment=alignment),
            evolve_stream=True,
            precision="bfloat16",
        )
        watched.types.clear()
        learner.observe(*example_batch(0))
        # the first is the look at the number of classes
        return watched.types[1:]

    low, full = torch.bfloat16, torch.float32
    assert seen(0.003) == [full, full, full, low]
    assert seen(0.0) == [low, low, low]

import copy
import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import (
    Editing,
    Hamiltonian,
    Langevin,
    MemoryEnergy,
    Noise,
    ReplayLearner,
    ReservoirMemory,
    Stein,
    UniformRetrieval,
    UserError,
)
from evoreplay.checks import example_batch, example_model, same


def make(model, lr=0.1, **options):
    options.setdefault("memory", ReservoirMemory(8))
    options.setdefault("retrieval", UniformRetrieval(4))
    return ReplayLearner(model, torch.optim.SGD(model.parameters(), lr=lr), **options)


def net(batch_norm=True):
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(6) if batch_norm else nn.Identity()
    return nn.Sequential(nn.Flatten(), nn.Linear(12, 6), norm, nn.Softplus(), nn.Linear(6, 4))


def scaled(x):
    return x.float() / 127.5 - 1


class FixedRetrieval(UniformRetrieval):
    def select(self, memory, context):
        return torch.arange(min(self.size, len(memory)))


class Shift(Langevin):
    """A flow that is easy to follow by hand: add 0.1."""

    def move(self, x, energy_gradient, generator):
        return x + 0.1


@pytest.mark.parametrize(
    ("options", "raw_weight", "evolved_weight"),
    [
        ({}, 1.0, 0.0),
        ({"raw_weight": 2.0}, 2.0, 0.0),
        ({"evolution": Shift(), "recipe": "paper"}, 0.0, 1.0),
        ({"evolution": Shift(), "recipe": "reference"}, 1.0, 1.0),
        ({"evolution": Shift(), "raw_weight": 0.5, "evolved_weight": 0.25}, 0.5, 0.25),
    ],
)
@pytest.mark.parametrize("alignment", [0.0, 0.003])
def test_one_step_is_sgd_on_the_sum_of_means_of_separate_forwards(
    options, raw_weight, evolved_weight, alignment
):
    model, by_hand = net(), net()
    learner = make(
        model, retrieval=FixedRetrieval(4), energy=MemoryEnergy(alignment=alignment), **options
    )
    first, second = example_batch(0, size=6), example_batch(1, size=6)
    optimizer = torch.optim.SGD(by_hand.parameters(), lr=0.1)
    learner.observe(*first)
    cross_entropy(by_hand(scaled(first[0])), first[1]).backward()
    optimizer.step()
    optimizer.zero_grad()
    step = learner.observe(*second)
    x, y = scaled(first[0][:4]), first[1][:4]
    stream = cross_entropy(by_hand(scaled(second[0])), second[1])
    raw, evolved = cross_entropy(by_hand(x), y), cross_entropy(by_hand(x + 0.1), y)
    (stream + raw_weight * raw + evolved_weight * evolved).backward()
    optimizer.step()
    for mine, theirs in zip(model.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)
    assert math.isclose(step.stream_loss, stream.item(), rel_tol=1e-5)
    expected = (raw_weight * raw + evolved_weight * evolved).item()
    assert math.isclose(step.replay_loss, expected, rel_tol=1e-5)
    assert math.isclose(step.loss_before, raw.item(), rel_tol=1e-5)
    if "evolution" in options:
        assert math.isclose(step.loss_after, evolved.item(), rel_tol=1e-5)
        assert math.isclose(step.moved, 0.1, rel_tol=1e-5)


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("alignment", [0.0, 0.003])
def test_running_statistics_see_stream_and_raw_replay_once_each_and_nothing_evolved(
    recipe, alignment
):
    plain, evolving = net(), net()
    er = make(plain, lr=0.0)
    learner = make(
        evolving, lr=0.0, evolution=Shift(), recipe=recipe, energy=MemoryEnergy(alignment=alignment)
    )
    for number in range(4):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
    assert same(dict(plain.named_buffers()), dict(evolving.named_buffers()))


def test_statistics_all_lets_evolved_examples_in():
    clean, mixed = net(), net()
    for model, statistics in ((clean, "raw"), (mixed, "all")):
        learner = make(model, lr=0.0, evolution=Shift(), statistics=statistics)
        for number in range(3):
            learner.observe(*example_batch(number))
    assert not torch.equal(clean[2].running_mean, mixed[2].running_mean)
    assert int(mixed[2].num_batches_tracked) == 5  # 3 stream, 2 evolved


def test_with_statistics_all_a_flow_and_its_noise_control_update_them_equally_often():
    counts = []
    for flow in (Langevin(steps=1), Noise(steps=1)):
        model = net()
        learner = make(model, evolution=flow, statistics="all")
        for number in range(4):
            learner.observe(*example_batch(number))
        counts.append(int(model[2].num_batches_tracked))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("forward", "count"), [("separate", 3 + 2 * 6), ("joint", 3 + 2 * 5)])
def test_extra_statistics_are_so_many_more_raw_forwards(forward, count):
    model = net()
    learner = make(model, extra_statistics=5, forward=forward)
    for number in range(3):
        learner.observe(*example_batch(number))
    assert int(model[2].num_batches_tracked) == count


def doubled(batch, context):
    return replace(batch, inputs=batch.inputs + 0.5, companions=batch.inputs)


class Doubling:
    """A transform that replays raw copies beside changed ones."""

    apply = staticmethod(doubled)

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_raw_companions_and_evolved_copies_have_forwards_of_their_own(recipe):
    # memory loss: the mean over raw copies and evolved ones, each kind normalised by itself
    model, by_hand = net(), net()
    learner = make(
        model,
        retrieval=FixedRetrieval(4),
        transforms=[Doubling()],
        evolution=Shift(),
        recipe=recipe,
        energy=MemoryEnergy(alignment=0),
    )
    first, second = example_batch(0, size=6), example_batch(1, size=6)
    optimizer = torch.optim.SGD(by_hand.parameters(), lr=0.1)
    learner.observe(*first)
    cross_entropy(by_hand(scaled(first[0])), first[1]).backward()
    optimizer.step()
    optimizer.zero_grad()
    learner.observe(*second)
    x, y = scaled(first[0][:4]), first[1][:4]
    stream = cross_entropy(by_hand(scaled(second[0])), second[1])
    raw = cross_entropy(by_hand(x), y)
    statistics = by_hand[2].running_mean.clone()
    evolved = cross_entropy(by_hand(x + 0.5 + 0.1), y)
    raw_weight = 0.5 if recipe == "paper" else 1.5
    (stream + raw_weight * raw + 0.5 * evolved).backward()
    optimizer.step()
    for mine, theirs in zip(model.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(model[2].running_mean, statistics)


@pytest.mark.parametrize("forward", ["separate", "joint"])
def test_the_reference_gradient_is_that_of_the_raw_minibatch_whatever_the_transform(forward):
    seen = []

    class Watching(MemoryEnergy):
        def bind(self, model, x_raw, y, *, reference_gradient=None):
            seen.append((x_raw, y, reference_gradient))
            return super().bind(model, x_raw, y, reference_gradient=reference_gradient)

    model = net()
    learner = make(
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


def test_measuring_alignment_changes_nothing_even_with_dropout():
    models = []
    for measured in (False, True):
        models.append(example_model())
        learner = make(models[-1], evolution=Langevin(steps=1), measure_alignment=measured)
        for number in range(4):
            learner.observe(*example_batch(number))
    assert same(models[0].state_dict(), models[1].state_dict())


def test_a_written_back_example_is_aged_by_its_edit_alone():
    learner = make(
        net(),
        memory=ReservoirMemory(2),
        transforms=[Editing()],
        evolution=Shift(),
        write_back=True,
    )
    learner.observe(*example_batch(0, size=2))
    learner.memory.add = lambda x, y, context=None: None
    learner.observe(*example_batch(1, size=3))
    assert learner.memory.gather(torch.arange(2)).writes.tolist() == [1, 1]


@pytest.mark.parametrize("flow", [Langevin, Stein, Hamiltonian], ids=lambda flow: flow.__name__)
@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_zero_steps_of_evolution_are_plain_replay_to_the_byte(flow, recipe):
    # the reference recipe replays raw and unmoved: twice the weight
    plain, evolving = example_model(), example_model()
    er = make(plain, raw_weight=1.0)
    weights = {} if recipe == "paper" else {"raw_weight": 1.0, "evolved_weight": 0.0}
    learner = make(evolving, evolution=flow(steps=0), energy=MemoryEnergy(alignment=0), **weights)
    # dropout draws differ with the number of forwards, so compare without it
    for model in (plain, evolving):
        model[4].p = 0.0
    for number in range(5):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
    assert same(plain.state_dict(), evolving.state_dict())


@pytest.mark.parametrize("evolution", [None, Shift()])
def test_a_joint_forward_equals_separate_ones_without_batchnorm_and_differs_with_it(evolution):
    for batch_norm in (False, True):
        models = {}
        for forward in ("separate", "joint"):
            models[forward] = net(batch_norm)
            learner = make(
                models[forward], evolution=evolution, recipe="reference", forward=forward
            )
            for number in range(3):
                learner.observe(*example_batch(number))
        weights = [model[4].weight for model in models.values()]
        assert torch.allclose(*weights, rtol=1e-4, atol=1e-6) is not batch_norm


def test_joint_forwards_keep_the_running_statistics_clean():
    plain, evolving = net(), net()
    learners = [
        make(plain, lr=0.0, forward="joint"),
        make(evolving, lr=0.0, forward="joint", evolution=Shift()),
    ]
    for number in range(3):
        for learner in learners:
            learner.observe(*example_batch(number))
    torch.testing.assert_close(plain[2].running_mean, evolving[2].running_mean)
    torch.testing.assert_close(plain[2].running_var, evolving[2].running_var)


def test_replay_begins_as_soon_as_memory_holds_anything():
    learner = make(net())
    assert learner.observe(*example_batch(0, size=2)).replay_loss is None
    assert learner.observe(*example_batch(1, size=2)).replay_loss is not None


def test_a_single_example_that_batchnorm_cannot_take_is_skipped_but_remembered():
    model = net()
    learner = make(model)
    before = copy.deepcopy(model.state_dict())
    step = learner.observe(*example_batch(0, size=1))
    assert step.stream_loss is None
    assert same(before, model.state_dict())
    assert len(learner.memory) == 1
    # still one example in memory: the stream alone is learned
    step = learner.observe(*example_batch(1, size=3))
    assert step.stream_loss is not None
    assert step.replay_loss is None


def test_several_updates_redraw_the_replay_and_touch_memory_once():
    class Counting(UniformRetrieval):
        def select(self, memory, context):
            calls.append(len(memory))
            return super().select(memory, context)

    calls = []
    learner = make(net(), retrieval=Counting(2), updates=3)
    learner.observe(*example_batch(0))
    learner.observe(*example_batch(1, size=2))
    assert calls == [5, 5, 5]
    assert learner.memory.seen == 7


def test_write_back_keeps_the_evolved_example_and_goes_on_from_it():
    learner = make(net(), memory=ReservoirMemory(2), evolution=Shift(), write_back=True)
    learner.observe(*example_batch(0, size=2))
    raw = learner.memory.gather(torch.arange(2)).x
    # no more may enter: the slots must stay to be seen twice
    learner.memory.add = lambda x, y, context=None: None
    for visits in (1, 2, 3):
        learner.observe(*example_batch(visits, size=3))
        got = learner.memory.gather(torch.arange(2))
        torch.testing.assert_close(got.delta, torch.full_like(got.delta, 0.1 * visits))
        assert got.writes.tolist() == [visits, visits]
        assert torch.equal(got.x, raw)


def test_proximity_pulls_towards_the_raw_example_and_not_the_written_one():
    anchors = []

    class Watching(MemoryEnergy):
        def bind(self, model, x_raw, y, **options):
            anchors.append(x_raw.clone())
            return super().bind(model, x_raw, y, **options)

    learner = make(
        net(),
        memory=ReservoirMemory(2),
        retrieval=FixedRetrieval(2),
        evolution=Shift(),
        energy=Watching(),
        write_back=True,
    )
    first = example_batch(0, size=2)
    learner.observe(*first)
    learner.memory.add = lambda x, y, context=None: None
    for number in range(1, 4):
        learner.observe(*example_batch(number))
    assert all(torch.equal(anchor, scaled(first[0])) for anchor in anchors)


def test_alignment_of_gradients_is_one_for_unmoved_examples_and_less_for_noise():
    def aligned(flow):
        learner = make(net(), evolution=flow, measure_alignment=True)
        learner.observe(*example_batch(0))
        return learner.observe(*example_batch(1)).aligned

    assert math.isclose(aligned(Langevin(steps=0)), 1.0, rel_tol=1e-5)
    assert aligned(Noise(rate=0.5)) < 0.99


def test_bfloat16_training_still_evolves_in_float32_when_gradients_are_aligned():
    types = []

    class Watch(nn.Linear):
        def forward(self, x):
            out = super().forward(x)
            types.append(out.dtype)
            return out

    def seen(alignment):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Flatten(), Watch(12, 4))
        energy = MemoryEnergy(alignment=alignment)
        learner = make(model, evolution=Langevin(steps=3), energy=energy, precision="bfloat16")
        learner.observe(*example_batch(0))
        types.clear()
        learner.observe(*example_batch(1))
        return types

    # stream, raw pass, three steps of evolution, evolved pass
    low, full = torch.bfloat16, torch.float32
    assert seen(0.003) == [low, full, full, full, full, low]
    # the raw pass is the first step's
    assert seen(0.0) == [low, low, low, low, low]


class WithoutShortcut(MemoryEnergy):
    """The same energy, which computes every gradient itself."""


@pytest.mark.parametrize("flow", [Langevin, Stein, Hamiltonian], ids=lambda flow: flow.__name__)
@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("statistics", ["raw", "all"])
@pytest.mark.parametrize("write_back", [False, True])
def test_the_raw_pass_serves_the_first_evolution_step_without_a_difference(
    flow, recipe, statistics, write_back
):
    models = net().double(), net().double()
    forwards = [0, 0]
    for number, kind in enumerate((MemoryEnergy, WithoutShortcut)):
        learner = make(
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

    learner = make(Net(), evolution=Langevin(steps=5), recipe="reference")
    learner.observe(*example_batch(0))
    calls.clear()
    learner.observe(*example_batch(1))
    # only inputs that ask for gradients reach the counter: the five evolution steps
    assert len(calls) == 5


@pytest.mark.parametrize(
    "options",
    [
        {"recipe": "papre"},
        {"raw_weight": -1.0},
        {"statistics": "none"},
        {"forward": "both"},
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(UserError):
        make(net(), **options)


def test_every_named_generator_is_its_own():
    learner = make(net(), seed=3)
    states = [g.get_state() for g in learner.generators.values()]
    assert len(states) == 4
    assert not any(torch.equal(a, b) for n, a in enumerate(states) for b in states[:n])

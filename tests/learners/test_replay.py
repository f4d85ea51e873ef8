import copy
import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from evoreplay import (
    Editing,
    Langevin,
    MemoryEnergy,
    Noise,
    ReplayLearner,
    ReservoirMemory,
    UniformRetrieval,
    UserError,
)
from evoreplay.checks import example_batch, example_model, same
from shared.small_learner import (
    Doubling,
    FixedRetrieval,
    Shift,
    scaled,
    small_learner,
    small_net,
)


def both_learn(learner, by_hand, batch):
    """The same first batch for a learner and by hand, whose optimiser is given back."""
    learner.observe(*batch)
    optimizer = torch.optim.SGD(by_hand.parameters(), lr=0.1)
    cross_entropy(by_hand(scaled(batch[0])), batch[1]).backward()
    optimizer.step()
    optimizer.zero_grad()
    return optimizer


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
    model, by_hand = small_net(), small_net()
    learner = small_learner(
        model, retrieval=FixedRetrieval(4), energy=MemoryEnergy(alignment=alignment), **options
    )
    first, second = example_batch(0, size=6), example_batch(1, size=6)
    optimizer = both_learn(learner, by_hand, first)
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
    plain, evolving = small_net(), small_net()
    er = small_learner(plain, lr=0.0)
    learner = small_learner(
        evolving, lr=0.0, evolution=Shift(), recipe=recipe, energy=MemoryEnergy(alignment=alignment)
    )
    for number in range(4):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
    assert same(dict(plain.named_buffers()), dict(evolving.named_buffers()))


def test_statistics_all_lets_evolved_examples_in():
    clean, mixed = small_net(), small_net()
    for model, statistics in ((clean, "raw"), (mixed, "all")):
        learner = small_learner(model, lr=0.0, evolution=Shift(), statistics=statistics)
        for number in range(3):
            learner.observe(*example_batch(number))
    assert not torch.equal(clean[2].running_mean, mixed[2].running_mean)
    assert int(mixed[2].num_batches_tracked) == 5  # 3 stream, 2 evolved


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("flow", [Langevin(), Noise()])
def test_statistics_decide_how_a_network_is_evaluated_and_never_what_it_learns(flow, recipe):
    models = {"raw": small_net(), "all": small_net()}
    for statistics, model in models.items():
        learner = small_learner(model, evolution=flow, recipe=recipe, statistics=statistics)
        for number in range(4):
            learner.observe(*example_batch(number))
    raw, everything = (dict(model.named_parameters()) for model in models.values())
    assert same(raw, everything)
    raw, everything = (dict(model.named_buffers()) for model in models.values())
    assert not same(raw, everything)


def test_with_statistics_all_a_flow_and_its_noise_control_update_them_equally_often():
    counts = []
    for flow in (Langevin(steps=1), Noise(steps=1)):
        model = small_net()
        learner = small_learner(model, evolution=flow, statistics="all")
        for number in range(4):
            learner.observe(*example_batch(number))
        counts.append(int(model[2].num_batches_tracked))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("forward", "count"), [("separate", 3 + 2 * 6), ("joint", 3 + 2 * 5)])
def test_extra_statistics_are_so_many_more_raw_forwards(forward, count):
    model = small_net()
    learner = small_learner(model, extra_statistics=5, forward=forward)
    for number in range(3):
        learner.observe(*example_batch(number))
    assert int(model[2].num_batches_tracked) == count


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_raw_companions_and_evolved_copies_have_forwards_of_their_own(recipe):
    # memory loss: the mean over raw copies and evolved ones, each kind normalised by itself
    model, by_hand = small_net(), small_net()
    learner = small_learner(
        model,
        retrieval=FixedRetrieval(4),
        transforms=[Doubling()],
        evolution=Shift(),
        recipe=recipe,
        energy=MemoryEnergy(alignment=0),
    )
    first, second = example_batch(0, size=6), example_batch(1, size=6)
    optimizer = both_learn(learner, by_hand, first)
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


def test_measuring_alignment_changes_nothing_even_with_dropout():
    models = []
    for measured in (False, True):
        models.append(example_model())
        learner = small_learner(models[-1], evolution=Langevin(steps=1), measure_alignment=measured)
        for number in range(4):
            learner.observe(*example_batch(number))
    assert same(models[0].state_dict(), models[1].state_dict())


def test_a_written_back_example_is_aged_by_its_edit_alone():
    learner = small_learner(
        small_net(),
        memory=ReservoirMemory(2),
        transforms=[Editing()],
        evolution=Shift(),
        write_back=True,
    )
    learner.observe(*example_batch(0, size=2))
    learner.memory.add = lambda x, y, context=None: None
    learner.observe(*example_batch(1, size=3))
    assert learner.memory.gather(torch.arange(2)).writes.tolist() == [1, 1]


@pytest.mark.parametrize("evolution", [None, Shift()])
def test_a_joint_forward_equals_separate_ones_without_batchnorm_and_differs_with_it(evolution):
    for batch_norm in (False, True):
        models = {}
        for forward in ("separate", "joint"):
            models[forward] = small_net(batch_norm)
            learner = small_learner(
                models[forward], evolution=evolution, recipe="reference", forward=forward
            )
            for number in range(3):
                learner.observe(*example_batch(number))
        weights = [model[4].weight for model in models.values()]
        assert torch.allclose(*weights, rtol=1e-4, atol=1e-6) is not batch_norm


def test_joint_forwards_keep_the_running_statistics_clean():
    plain, evolving = small_net(), small_net()
    learners = [
        small_learner(plain, lr=0.0, forward="joint"),
        small_learner(evolving, lr=0.0, forward="joint", evolution=Shift()),
    ]
    for number in range(3):
        for learner in learners:
            learner.observe(*example_batch(number))
    torch.testing.assert_close(plain[2].running_mean, evolving[2].running_mean)
    torch.testing.assert_close(plain[2].running_var, evolving[2].running_var)


def test_replay_begins_as_soon_as_memory_holds_anything():
    learner = small_learner(small_net())
    assert learner.observe(*example_batch(0, size=2)).replay_loss is None
    assert learner.observe(*example_batch(1, size=2)).replay_loss is not None


def test_a_single_example_that_batchnorm_cannot_take_is_skipped_but_remembered():
    model = small_net()
    learner = small_learner(model)
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
    learner = small_learner(small_net(), retrieval=Counting(2), updates=3)
    learner.observe(*example_batch(0))
    learner.observe(*example_batch(1, size=2))
    assert calls == [5, 5, 5]
    assert learner.memory.seen == 7


def test_write_back_keeps_the_evolved_example_and_goes_on_from_it():
    learner = small_learner(
        small_net(), memory=ReservoirMemory(2), evolution=Shift(), write_back=True
    )
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


def test_alignment_of_gradients_is_one_for_unmoved_examples_and_less_for_noise():
    def aligned(flow):
        learner = small_learner(small_net(), evolution=flow, measure_alignment=True)
        learner.observe(*example_batch(0))
        return learner.observe(*example_batch(1)).aligned

    assert math.isclose(aligned(Langevin(steps=0)), 1.0, rel_tol=1e-5)
    assert aligned(Noise(rate=0.5)) < 0.99


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
        small_learner(small_net(), **options)


def test_every_named_generator_is_its_own():
    learner = small_learner(small_net(), seed=3)
    states = [g.get_state() for g in learner.generators.values()]
    assert len(states) == 4
    assert not any(torch.equal(a, b) for n, a in enumerate(states) for b in states[:n])


def test_by_default_raw_and_evolved_examples_are_replayed():
    model = small_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    learner = ReplayLearner(model, optimizer, memory=ReservoirMemory(8), evolution=Shift())
    assert (learner.raw_weight, learner.evolved_weight) == (1.0, 1.0)

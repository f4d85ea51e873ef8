import pytest
import torch

from evoreplay import FineTuningLearner, ReplayLearner, ReservoirMemory
from evoreplay.checks import example_batch, example_model, same


def learner(kind=ReplayLearner):
    model = example_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    parts = {"memory": ReservoirMemory(12)} if kind is ReplayLearner else {}
    return kind(model, optimizer, **parts)


@pytest.mark.parametrize("kind", [ReplayLearner, FineTuningLearner])
def test_callbacks_get_the_learner_and_its_step_in_their_order(kind):
    watched, seen = learner(kind), []
    watched.callbacks = (
        lambda who, step: seen.append(("first", who, who.steps, step)),
        lambda who, step: seen.append(("second", who, who.steps, step)),
    )
    steps = [watched.observe(*example_batch(number)) for number in range(3)]
    assert seen == [
        (name, watched, number + 1, step)
        for number, step in enumerate(steps)
        for name in ("first", "second")
    ]


def test_an_exception_reaches_the_caller_after_the_step_is_complete():
    quiet, watched, seen = learner(), learner(), []

    def fails(who, step):
        raise RuntimeError("no more disk")

    watched.callbacks = [fails, lambda who, step: seen.append(step)]
    for number in range(3):
        quiet.observe(*example_batch(number))
        with pytest.raises(RuntimeError, match="no more disk"):
            watched.observe(*example_batch(number))
    assert seen == []
    assert watched.steps == 3
    assert same(quiet.state_dict(), watched.state_dict())


def test_a_refused_batch_calls_nobody():
    watched, seen = learner(), []
    watched.callbacks = [lambda who, step: seen.append(step)]
    x, y = example_batch(0)
    with pytest.raises(ValueError, match="is outside the model's 4 classes"):
        watched.observe(x, y + 4)
    assert seen == []


def test_callbacks_are_never_saved(tmp_path):
    quiet, watched = learner(), learner()
    watched.callbacks = [lambda who, step: None]
    for one, name in ((quiet, "quiet"), (watched, "watched")):
        one.observe(*example_batch(0))
        one.save(tmp_path / name)
    files = [sorted((tmp_path / name).rglob("*.*")) for name in ("quiet", "watched")]
    assert [f.read_bytes() for f in files[0]] == [f.read_bytes() for f in files[1]]
    model = example_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loaded = ReplayLearner.load(tmp_path / "watched", model=model, optimizer=optimizer)
    assert list(loaded.callbacks) == []
    assert same(loaded.state_dict(), watched.state_dict())


def test_two_learners_share_no_callbacks_and_one_may_take_itself_out():
    first, second, seen = learner(), learner(), []

    def once(who, step):
        seen.append("once")
        who.callbacks.remove(once)

    first.callbacks.append(once)
    first.callbacks.append(lambda who, step: seen.append("always"))
    for number in range(2):
        first.observe(*example_batch(number))
        second.observe(*example_batch(number))
    assert seen == ["once", "always", "always"]

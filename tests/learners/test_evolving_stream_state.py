"""A learner whose stream evolves: what it keeps, what it is saved as, what it refuses."""

import copy

import pytest
import torch

from evoreplay import Langevin, MemoryEnergy, Noise, ReplayLearner, ReservoirMemory, UserError
from evoreplay.checks import LEARNER_CHECKS, example_batch, example_model, same
from evoreplay.models import TextClassifier
from shared.small_learner import (
    LAYER,
    FixedRetrieval,
    Shift,
    learner_on_a_layer,
    small_learner,
    small_net,
    text_batch,
)


def evolving_both(**options):
    def make(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        memory = ReservoirMemory(12)
        parts = {"evolution": Langevin(steps=2), "evolve_stream": True, "seed": 5}
        return ReplayLearner(model, optimizer, memory=memory, **(parts | options))

    return make


MAKERS = {
    "separate": evolving_both(recipe="paper"),
    "joint": evolving_both(forward="joint"),
    "on a layer, twice": evolving_both(space=LAYER, recipe="reference", updates=2),
    "no dot product, kept": evolving_both(energy=MemoryEnergy(alignment=0), write_back=True),
    "noise": evolving_both(evolution=Noise(), statistics="all"),
}


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MAKERS)
def test_a_learner_whose_stream_evolves_passes_the_generic_checks(name, check):
    check(MAKERS[name])


@pytest.mark.parametrize("name", MAKERS)
def test_a_saved_learner_evolves_its_stream_again_and_goes_on_to_the_same_bytes(name, tmp_path):
    learner = MAKERS[name](example_model())
    for number in range(3):
        learner.observe(*example_batch(number))
    learner.save(tmp_path)
    model = example_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    again = ReplayLearner.load(tmp_path, model=model, optimizer=optimizer)
    assert again.evolve_stream
    for number in range(3, 6):
        assert learner.observe(*example_batch(number)) == again.observe(*example_batch(number))
    assert same(learner.state_dict(), again.state_dict())


@pytest.mark.parametrize("space", [None, LAYER])
@pytest.mark.parametrize("forward", ["separate", "joint"])
def test_memory_gets_the_raw_stream_and_only_replay_is_written_back(space, forward):
    learner = small_learner(
        small_net(),
        memory=ReservoirMemory(20),
        retrieval=FixedRetrieval(2),
        evolution=Shift(),
        evolve_stream=True,
        write_back=True,
        space=space,
        forward=forward,
    )
    batches = [example_batch(number) for number in range(2)]
    x, y = batches[0]
    learner.observe(x, y)
    held = learner.memory.gather(torch.arange(5))
    assert torch.equal(held.x, x)
    assert held.delta is None
    learner.observe(*batches[1])
    held = learner.memory.gather(torch.arange(10))
    assert torch.equal(held.x, torch.cat([x for x, _ in batches]))
    assert held.writes.tolist() == [1, 1] + [0] * 8
    assert held.delta[2:].count_nonzero() == 0


def test_a_single_example_that_batchnorm_cannot_take_does_not_evolve_either():
    for forward in ("separate", "joint"):
        model = small_net()
        before = copy.deepcopy(model.state_dict())
        learner = small_learner(model, evolution=Shift(), evolve_stream=True, forward=forward)
        assert learner.observe(*example_batch(0, size=1)).stream_loss is None
        assert same(before, model.state_dict())


def test_texts_evolve_as_embeddings_and_their_tokens_are_refused_at_once():
    torch.manual_seed(0)
    options = {"evolution": Langevin(steps=1), "evolve_stream": True}
    learner = learner_on_a_layer(TextClassifier(30, 4, width=8), space="embedding", **options)
    for number in range(2):
        assert learner.observe(*text_batch(number)).stream_loss > 0
    learner = learner_on_a_layer(TextClassifier(30, 4, width=8), space=None, **options)
    with pytest.raises(UserError, match="int16 cannot move"):
        learner.observe(*text_batch(0))


def test_without_a_flow_an_evolving_stream_is_refused():
    with pytest.raises(UserError, match="no flow by which anything could evolve; give one"):
        small_learner(small_net(), evolve_stream=True)

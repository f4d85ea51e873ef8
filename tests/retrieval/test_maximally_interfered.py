import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import MaximallyInterferedRetrieval, ReservoirMemory, UserError
from evoreplay.checks import RETRIEVAL_CHECKS, example_batch, example_context, same
from evoreplay.learners.context import StepContext, StreamStep


@pytest.mark.parametrize("check", RETRIEVAL_CHECKS, ids=lambda check: check.__name__)
def test_it_passes_the_generic_checks(check):
    check(lambda: MaximallyInterferedRetrieval(4, candidates=12))


def test_exactly_the_examples_that_the_stream_would_hurt_are_retrieved():
    # Feature k alone decides for class k. The stream shows feature 0 with label 1, so a step on it
    # hurts the memory examples that use feature 0, and no other.
    model = nn.Linear(4, 4, bias=False)
    with torch.no_grad():
        model.weight.copy_(torch.eye(4))
    memory = ReservoirMemory(20)
    features = torch.arange(20) % 4
    memory.add(nn.functional.one_hot(features, 4).float(), features)
    stream = StreamStep(
        model,
        torch.optim.SGD(model.parameters(), lr=0.5),
        torch.tensor([[1.0, 0, 0, 0]]),
        torch.tensor([1]),
    )
    context = StepContext(model, lambda x: x, memory, stream, torch.Generator().manual_seed(0))
    chosen = MaximallyInterferedRetrieval(5, candidates=20).select(memory, context)
    assert sorted(chosen.tolist()) == [0, 4, 8, 12, 16]


def test_it_agrees_with_a_deep_copy_that_takes_the_step():
    memory = ReservoirMemory(60)
    memory.add(*example_batch(5, size=60))
    context = example_context(memory, seed=2)
    chosen = MaximallyInterferedRetrieval(6, candidates=30).select(memory, context)

    again = example_context(memory, seed=2)
    candidates = MaximallyInterferedRetrieval(30, candidates=30).select(memory, again)
    stepped = copy.deepcopy(again.model).train()
    stepped[4].p = 0.0
    before = copy.deepcopy(stepped)
    x, y = example_batch(99)
    optimizer = torch.optim.SGD(stepped.parameters(), lr=0.1)
    # dropout is left out on both sides: it would draw other masks
    context.model[4].p = 0.0
    chosen = MaximallyInterferedRetrieval(6, candidates=30).select(
        memory, example_without_dropout(memory)
    )
    cross_entropy(stepped(x.float() / 127.5 - 1), y).backward()
    optimizer.step()
    held = memory.gather(candidates)
    inputs = held.x.float() / 127.5 - 1
    with torch.no_grad():
        rise = cross_entropy(stepped(inputs), held.y, reduction="none") - cross_entropy(
            before(inputs), held.y, reduction="none"
        )
    assert chosen.tolist() == candidates[rise.argsort(descending=True)[:6]].tolist()


def example_without_dropout(memory):
    context = example_context(memory, seed=2)
    context.model[4].p = 0.0
    return context


def test_parameters_buffers_and_modes_are_bit_identical_afterwards():
    memory = ReservoirMemory(60)
    memory.add(*example_batch(5, size=60))
    context = example_context(memory)
    model = context.model
    state = copy.deepcopy(model.state_dict())
    addresses = [p.data_ptr() for p in model.parameters()]
    MaximallyInterferedRetrieval(6, candidates=30).select(memory, context)
    assert same(state, model.state_dict())
    assert addresses == [p.data_ptr() for p in model.parameters()]
    assert all(p.grad is None for p in model.parameters())


def test_fewer_candidates_than_replayed_are_refused():
    with pytest.raises(UserError, match="candidates is 5; give a whole number, 10 or more"):
        MaximallyInterferedRetrieval(10, candidates=5)

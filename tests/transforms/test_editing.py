import copy
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import Editing, ReservoirMemory, UserError
from evoreplay.checks import TRANSFORM_CHECKS
from evoreplay.learners.context import StepContext, StreamStep


@pytest.mark.parametrize("check", TRANSFORM_CHECKS, ids=lambda check: check.__name__)
def test_it_passes_the_generic_checks(check):
    check(lambda: Editing())


def make(first_update=True):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 8), nn.Softplus(), nn.Linear(8, 3)).double()
    generator = torch.Generator().manual_seed(1)
    memory = ReservoirMemory(6)
    x = torch.randn(6, 5, generator=generator, dtype=torch.float64)
    memory.add(x, torch.arange(6) % 3)
    stream_x = torch.randn(4, 5, generator=generator, dtype=torch.float64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    stream = StreamStep(model, optimizer, stream_x, torch.tensor([0, 1, 2, 0]))
    context = StepContext(model, lambda x: x, memory, stream, generator, first_update)
    return context, stream_x, torch.tensor([0, 1, 2, 0])


def slow_edit(model, stream, x, y, stride, reg):
    """The edit by finite differences of the loss, with a real step of a real copy."""
    stepped = copy.deepcopy(model)
    cross_entropy(stepped(stream[0]), stream[1]).backward()
    torch.optim.SGD(stepped.parameters(), lr=0.3).step()

    def gradient(net):
        found = torch.zeros_like(x)
        for i in range(x.numel()):
            shift = torch.zeros(x.numel(), dtype=x.dtype)
            shift[i] = 1e-6
            shift = shift.reshape(x.shape)
            with torch.no_grad():
                up, down = cross_entropy(net(x + shift), y), cross_entropy(net(x - shift), y)
            found.view(-1)[i] = (up - down) / 2e-6
        return found

    now, after = gradient(model), gradient(stepped)
    return x + stride * ((after - now) - reg * now)


@pytest.mark.parametrize(("sign", "factor"), [("paper", 1), ("released", -1)])
def test_one_edit_equals_the_finite_difference_oracle(sign, factor):
    context, *stream = make()
    batch = context.examples(torch.tensor([4, 0, 2]))
    edited = Editing(stride=0.7, reg=0.2, sign=sign).apply(batch, context)
    expected = slow_edit(context.model, stream, batch.inputs, batch.labels, 0.7, factor * 0.2)
    torch.testing.assert_close(edited.inputs, expected, rtol=1e-6, atol=1e-8)


def test_the_slot_holds_the_edited_example_afterwards_and_the_raw_one_stays():
    context, *_ = make()
    slots = torch.tensor([4, 0, 2])
    batch = context.examples(slots)
    edited = Editing(stride=0.7).apply(batch, context)
    again = context.examples(slots)
    torch.testing.assert_close(again.inputs, edited.inputs, rtol=1e-6, atol=1e-7)
    assert torch.equal(again.anchors, batch.anchors)
    assert again.writes.tolist() == [1, 1, 1]
    assert context.examples(torch.tensor([1])).writes.tolist() == [0]


def test_the_stride_decays_with_the_age_of_each_slot():
    context, *_ = make()
    batch = context.examples(torch.tensor([0, 1]))
    fresh = Editing(stride=0.5, decay=0.5).apply(batch, context).inputs - batch.inputs
    aged = replace(batch, writes=torch.tensor([0, 3]))
    older = Editing(stride=0.5, decay=0.5).apply(aged, context).inputs - batch.inputs
    torch.testing.assert_close(older[0], fresh[0])
    torch.testing.assert_close(older[1], fresh[1] / 8)


def test_only_the_first_update_of_a_batch_edits():
    context, *_ = make(first_update=False)
    batch = context.examples(torch.tensor([0, 1]))
    assert Editing().apply(batch, context) is batch
    assert context.examples(torch.tensor([0])).writes.tolist() == [0]


def test_bad_options_and_a_wrong_order_are_refused():
    with pytest.raises(UserError, match="stride is -1"):
        Editing(stride=-1)
    with pytest.raises(UserError, match="sign is 'plus'"):
        Editing(sign="plus")
    context, *_ = make()
    batch = context.examples(torch.tensor([0, 1]))
    with pytest.raises(UserError, match="put Editing first"):
        Editing().apply(replace(batch, companions=batch.inputs), context)

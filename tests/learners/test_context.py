import copy

import torch
from torch.nn.functional import cross_entropy

from evoreplay import ReservoirMemory
from evoreplay.checks import example_batch, example_context, example_model, same
from evoreplay.learners.context import StreamStep


def make():
    memory = ReservoirMemory(20)
    memory.add(*example_batch(0, size=10))
    context = example_context(memory)
    context.model[4].p = 0.0
    return context


def test_the_stepped_parameters_are_one_sgd_step_away():
    context = make()
    copied = copy.deepcopy(context.model).train()
    x, y = example_batch(99)
    cross_entropy(copied(x.float() / 127.5 - 1), y).backward()
    torch.optim.SGD(copied.parameters(), lr=0.1).step()
    for name, parameter in copied.named_parameters():
        torch.testing.assert_close(context.stepped_parameters[name], parameter.detach())


def test_a_gradient_that_the_learner_has_is_used_and_every_group_has_its_own_rate():
    model = example_model()
    groups = [{"params": model[1].parameters(), "lr": 1.0}, {"params": model[5].parameters()}]
    optimizer = torch.optim.SGD(groups, lr=0.5)
    ones = {n: torch.ones_like(p) for n, p in model.named_parameters() if not n.startswith("2")}
    step = StreamStep(model, optimizer, torch.zeros(0, 12), torch.zeros(0), ones)
    moved = step.stepped_parameters
    torch.testing.assert_close(moved["1.weight"], model[1].weight - 1.0)
    torch.testing.assert_close(moved["5.weight"], model[5].weight - 0.5)
    assert torch.equal(moved["2.weight"], model[2].weight)


def test_without_a_stream_nothing_is_stepped():
    model = example_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    step = StreamStep(model, optimizer, torch.zeros(0, 12), torch.zeros(0))
    assert same(step.stepped_parameters, dict(model.named_parameters()))


def test_examples_carry_what_was_written_to_them():
    context = make()
    context.memory.write(torch.tensor([2]), torch.full((1, 1, 3, 4), 0.5))
    batch = context.examples(torch.tensor([2, 3]))
    raw = context.memory.gather(torch.tensor([2, 3])).x.float() / 127.5 - 1
    torch.testing.assert_close(batch.anchors, raw)
    torch.testing.assert_close(batch.inputs[0], raw[0] + 0.5)
    torch.testing.assert_close(batch.inputs[1], raw[1])
    assert batch.writes.tolist() == [1, 0]


def test_losses_and_input_gradients_are_those_of_a_training_pass():
    context = make()
    batch = context.examples(torch.arange(6))
    copied = copy.deepcopy(context.model).train()
    x = batch.inputs.clone().requires_grad_()
    losses = cross_entropy(copied(x), batch.labels, reduction="none")
    torch.testing.assert_close(context.losses(batch.inputs, batch.labels), losses.detach())
    (gradient,) = torch.autograd.grad(losses.mean(), x)
    torch.testing.assert_close(context.input_gradient(batch.inputs, batch.labels), gradient)


def test_the_parameter_gradient_is_one_vector_in_eval_mode():
    context = make()
    batch = context.examples(torch.arange(6))
    copied = copy.deepcopy(context.model).eval()
    cross_entropy(copied(batch.inputs), batch.labels).backward()
    expected = torch.cat([p.grad.flatten() for p in copied.parameters()])
    torch.testing.assert_close(context.parameter_gradient(batch.inputs, batch.labels), expected)
    context.model[1].weight.requires_grad_(False)
    shorter = context.parameter_gradient(batch.inputs, batch.labels)
    assert len(shorter) == len(expected) - 12 * 16

"""What the pass over a minibatch gives before it evolves, and what it leaves in the model."""

from contextlib import nullcontext

import pytest
import torch
from torch.nn.functional import cross_entropy

from evoreplay import Batch, Langevin, MemoryEnergy, Noise
from evoreplay.learners.evolving import Evolving
from evoreplay.learners.passes import Passes, RawPass, term_of
from evoreplay.learners.raw_passes import RawPasses, accumulate
from shared.small_learner import small_net


def autocast(enabled):
    return nullcontext()


def batch_of(size=4):
    generator = torch.Generator().manual_seed(0)
    inputs, count = torch.randn(size, 12, generator=generator), torch.arange(size)
    return Batch(inputs, count % 4, count, anchors=inputs, writes=count)


def raw_passes(model, flow, alignment, statistics="raw"):
    energy = MemoryEnergy(alignment=alignment)
    evolving = None if flow is None else Evolving(model, None, flow, energy)
    return RawPasses(Passes(model, None, autocast), evolving, statistics)


def loss_and_gradients(batch):
    """On a model of the same weights."""
    model = small_net()
    loss = cross_entropy(model(batch.inputs), batch.labels)
    loss.backward()
    return loss.item(), {name: p.grad for name, p in model.named_parameters()}


@pytest.mark.parametrize("weight", [0.0, 0.5])
@pytest.mark.parametrize(
    ("flow", "alignment"), [(None, 0.0), (Noise(), 0.003), (Langevin(), 0.0), (Langevin(), 0.003)]
)
def test_one_pass_updates_the_statistics_once_and_trains_by_its_weight(flow, alignment, weight):
    model, batch = small_net(), batch_of()
    found = raw_passes(model, flow, alignment).learned(batch, term_of(batch, weight))
    loss, gradients = loss_and_gradients(batch)
    assert found.loss.item() == pytest.approx(loss)
    assert int(model[2].num_batches_tracked) == 1
    for name, parameter in model.named_parameters():
        if weight == 0:
            assert parameter.grad is None
        else:
            torch.testing.assert_close(parameter.grad, weight * gradients[name])


def test_the_pass_gives_what_the_flow_will_ask_for_and_no_more():
    model, batch = small_net(), batch_of()
    _, gradients = loss_and_gradients(batch)
    for flow, alignment in ((None, 0.0), (Noise(), 0.003)):
        found = raw_passes(model, flow, alignment).learned(batch, term_of(batch))
        assert found.gradient is found.ascent is None
    found = raw_passes(model, Langevin(), 0.0).learned(batch, term_of(batch))
    assert found.gradient is None
    assert torch.equal(found.ascent.at, batch.inputs)
    found = raw_passes(model, Langevin(), 0.003).learned(batch, term_of(batch))
    assert found.ascent is None
    torch.testing.assert_close(found.gradient, gradients)


def test_with_statistics_all_what_is_not_trained_on_leaves_no_trace():
    model, batch = small_net(), batch_of()
    for flow, alignment in ((Noise(), 0.003), (Langevin(), 0.0)):
        raw = raw_passes(model, flow, alignment, "all")
        assert raw.learned(batch, term_of(batch, 0.0)) == RawPass()
    aligned = raw_passes(model, Langevin(), 0.003, "all").learned(batch, term_of(batch, 0.0))
    torch.testing.assert_close(aligned.gradient, loss_and_gradients(batch)[1])
    assert int(model[2].num_batches_tracked) == 0


def test_a_pass_for_the_reference_gradient_alone_leaves_no_trace():
    model, batch = small_net(), batch_of()
    found = raw_passes(model, Langevin(), 0.003).reference(term_of(batch))
    torch.testing.assert_close(found.gradient, loss_and_gradients(batch)[1])
    assert int(model[2].num_batches_tracked) == 0
    assert all(p.grad is None for p in model.parameters())
    assert raw_passes(model, Langevin(), 0.0).reference(term_of(batch)) == RawPass()
    assert raw_passes(model, None, 0.0).reference(term_of(batch)) == RawPass()


def test_gradients_are_added_to_those_that_are_there():
    model = small_net()
    bias = model[4].bias
    accumulate(model, {"4.bias": torch.ones(4)}, 0.5)
    accumulate(model, {"4.bias": torch.ones(4)}, 2.0)
    assert bias.grad.tolist() == [2.5] * 4
    assert model[4].weight.grad is None


def test_gradients_have_the_strides_of_their_parameter_which_a_fused_optimizer_relies_on():
    def step(fused):
        torch.manual_seed(0)
        layer = torch.nn.Conv2d(3, 2, 3).to(memory_format=torch.channels_last)
        gradient = torch.randn(2, 3, 3, 3)
        for _ in range(2):
            accumulate(layer, {"weight": gradient}, 1.0)
        assert layer.weight.grad.stride() == layer.weight.stride() != gradient.stride()
        torch.optim.SGD(layer.parameters(), lr=0.1, fused=fused).step()
        return layer.weight

    torch.testing.assert_close(step(fused=True), step(fused=False))

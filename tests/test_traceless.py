import pytest
import torch
from torch import nn

from evoreplay.checks import example_model, same
from evoreplay.traceless import batch_statistics_only, device_of, evaluating, traceless


class Counter(nn.Module):
    """A layer that writes to a buffer of its own in every forward."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("shift", torch.ones(3))

    def forward(self, x):
        self.calls += 1
        return x * self.shift


def test_buffers_of_any_layer_are_put_back():
    model = nn.Sequential(nn.Linear(3, 3), Counter(), nn.BatchNorm1d(3))
    before = {k: v.clone() for k, v in model.state_dict().items()}
    with traceless(model):
        model(torch.randn(4, 3))
    assert same(before, dict(model.state_dict()))


def test_a_buffer_that_a_layer_replaces_is_put_back():
    class Replacing(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls = self.calls + 1
            return x

    model = nn.Sequential(nn.Linear(3, 3), Replacing())
    before = model[1].calls
    with traceless(model):
        model(torch.randn(4, 3))
    assert model[1].calls is before
    assert float(model[1].calls) == 0


def test_a_graph_made_inside_can_be_differentiated_outside():
    model = nn.Sequential(nn.Linear(3, 3), Counter(), nn.BatchNorm1d(3))
    with batch_statistics_only(model):
        loss = model(torch.randn(4, 3)).square().sum()
    loss.backward()
    assert model[0].weight.grad is not None


def test_modes_come_back_even_after_an_error():
    model = example_model()
    model[2].eval()
    modes = [m.training for m in model.modules()]
    for context in (traceless, evaluating):
        with pytest.raises(RuntimeError), context(model):
            raise RuntimeError
        assert modes == [m.training for m in model.modules()]
        assert model[2].track_running_stats


def test_dropout_inside_does_not_advance_the_world():
    before = torch.get_rng_state()
    with traceless(example_model()) as nothing:
        torch.rand(3)
    assert nothing is None
    assert torch.equal(before, torch.get_rng_state())


def test_a_model_without_parameters_is_on_the_cpu():
    assert device_of(nn.ReLU()).type == "cpu"

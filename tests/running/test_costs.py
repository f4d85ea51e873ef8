import pytest
import torch
from torch import nn

from evoreplay import Config, ResNet18
from evoreplay.running.costs import (
    Pass,
    head_share,
    multiplications,
    passes_of_step,
    relative_cost,
)
from evoreplay.running.methods import METHODS
from evoreplay.running.protocol import resolved


def cost(method, **settings):
    return relative_cost(resolved(Config(dataset="cifar10", method=method, **settings)))


def test_costs_by_hand():
    # units of ten examples: training 3, to the inputs 2, forward 1; er is 6
    assert cost("er") == 1
    assert cost("fine-tuning") == 0.5
    assert cost("mir") == pytest.approx((6 + 2 * 5) / 6)
    assert cost("gmed") == pytest.approx((6 + 2 * 2) / 6)
    assert cost("er+ld") == pytest.approx(19 / 6)
    # without the dot product the raw pass is the first evolution step's, too
    assert cost("er+ld", alignment=0.0) == pytest.approx(16 / 6)
    assert cost("er+ld", alignment=0.0, recipe="reference") == pytest.approx(17 / 6)
    assert cost("er+hmc", alignment=0.0, steps=1) == pytest.approx(7 / 6)
    assert cost("er+hmc") == pytest.approx(15 / 6)
    assert cost("er+hmc", initial_velocity="thermal") == pytest.approx(17 / 6)
    assert cost("er+noise") == pytest.approx(7 / 6)
    assert cost("er+noise", recipe="reference") == pytest.approx(9 / 6)
    assert cost("er-aug") == pytest.approx(9 / 6)
    assert cost("er+ld", statistics="all", alignment=0.0) == pytest.approx(16 / 6)


def test_an_mir_step_is_two_forwards_of_fifty_extra():
    passes = passes_of_step(resolved(Config(dataset="cifar10", method="mir")))
    assert Pass("forward", 50, 2) in passes


def test_a_step_on_a_layer_costs_the_share_of_the_head():
    # er is 6; stream 3, evolved 3, the lift once forward, five times to the layer and no further
    assert latent_cost("er+ld", 0.25, alignment=0.0) == pytest.approx((6 + 0.75 + 5 * 2 * 0.25) / 6)
    # the raw pass gives g' and the features; five steps
    assert latent_cost("er+ld", 0.25) == pytest.approx((9 + 5 * 2 * 0.25) / 6)
    # with raw replay the first step is free, and so are the features
    settings = {"alignment": 0.0, "recipe": "reference"}
    assert latent_cost("er+ld", 0.25, **settings) == pytest.approx((9 + 4 * 2 * 0.25) / 6)
    assert latent_cost("er+noise", 0.25) == pytest.approx(7 / 6)
    assert latent_cost("gmed", 0.25) == pytest.approx((6 + 2 * 0.75 + 2 * 2 * 0.25) / 6)
    assert latent_cost("er-aug+ld", 0.25) == pytest.approx((9 + 0.75 + 5 * 2 * 0.25) / 6)
    assert latent_cost("er", 0.25) == 1


def latent_cost(method, share, **settings):
    config = resolved(Config(dataset="cifar10", method=method, space="layer3", **settings))
    return relative_cost(config, share)


def test_the_share_of_the_head_is_counted_in_multiplications():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 5))
    x = torch.randn(7, 2, 4, 4)
    convolution, linear = 3 * 2 * 2 * (2 * 3 * 3), 12 * 5
    assert multiplications(model, x) == 7 * (convolution + linear)
    assert head_share(model, "0", x) == pytest.approx(linear / (linear + convolution))
    assert not model[0]._forward_hooks
    assert model.training
    assert head_share(nn.Sequential(nn.ReLU(), nn.Flatten()), "0", x) == 1


def test_each_stage_of_the_resnet_leaves_less_above_it():
    model, x = ResNet18(10), torch.randn(1, 3, 32, 32)
    shares = [head_share(model, f"layer{n}", x) for n in (1, 2, 3, 4)]
    assert shares == pytest.approx([0.72, 0.48, 0.24, 0.0], abs=0.01)


def test_every_method_has_a_cost():
    assert all(cost(name) > 0 for name in METHODS)

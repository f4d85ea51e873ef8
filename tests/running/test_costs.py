import pytest

from evoreplay import Config
from evoreplay.running.costs import Pass, passes_of_step, relative_cost
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


def test_every_method_has_a_cost():
    assert all(cost(name) > 0 for name in METHODS)

from itertools import pairwise

import pytest
import torch
from torch import nn

from evoreplay.attacks import InPixelSpace, ProjectedGradient, RandomSearch
from evoreplay.errors import UserError


def accuracies(target, radii, make=ProjectedGradient, **settings):
    return [
        make(eps=eps, **settings)
        .attack(*target, generator=torch.Generator().manual_seed(0))
        .accuracy
        for eps in radii
    ]


def linear_net(weights):
    """Two classes; the first leads by weights . x - 0.5."""
    net = nn.Sequential(nn.Flatten(), nn.Linear(len(weights), 2))
    with torch.no_grad():
        net[1].weight.copy_(torch.stack([torch.tensor(weights), torch.zeros(len(weights))]))
        net[1].bias.copy_(torch.tensor([-0.5, 0.0]))
    return net


def test_eps_0_is_the_clean_accuracy_exactly(digits):
    with torch.no_grad():
        clean = (digits.net(digits.x).argmax(1) == digits.y).double().mean().item()
    assert accuracies(digits, [0.0]) == [clean]
    assert 0.9 < clean < 1


def test_accuracy_falls_with_eps(digits):
    found = accuracies(digits, [n * 0.02 for n in range(12)], step_size=0.02)
    assert all(after <= before + 0.005 for before, after in pairwise(found))
    assert found[0] > 0.9
    assert found[-1] < 0.1


@pytest.mark.parametrize(("norm", "needed"), [("linf", 0.125), ("l2", 0.5 / 2)])
def test_on_a_linear_net_it_succeeds_exactly_beyond_the_distance_to_the_boundary(norm, needed):
    """|w . x - 0.5| / dual norm of w: 0.5 / 4 in l_inf, 0.5 / 2 in l_2."""
    net = linear_net([1.0, 1.0, -1.0, -1.0])
    x, y = torch.tensor([[0.9, 0.6, 0.3, 0.2]]), torch.tensor([0])
    for factor, fooled in ((0.98, False), (1.02, True)):
        attack = ProjectedGradient(eps=factor * needed, norm=norm, steps=30, step_size=0.05)
        found = attack.attack(net, x, y, generator=torch.Generator().manual_seed(0))
        assert bool(found.fooled) is fooled


def test_restarts_only_ever_help(digits):
    once, often = (
        accuracies(digits, [0.05, 0.1], steps=3, step_size=0.03, restarts=n) for n in (1, 5)
    )
    assert all(many <= one for one, many in zip(once, often, strict=True))


def test_those_that_are_fooled_stop(digits):
    """The work is that of the survivors: rows that pass the network, counted."""
    rows = []
    handle = digits.net.register_forward_pre_hook(lambda net, given: rows.append(len(given[0])))
    try:
        found = ProjectedGradient(eps=0.3, step_size=0.05).attack(
            *digits, generator=torch.Generator().manual_seed(0)
        )
    finally:
        handle.remove()
    assert rows == sorted(rows, reverse=True)
    assert sum(rows) < 0.3 * 22 * len(digits.y)
    assert found.accuracy < 0.1


@pytest.mark.parametrize("eps", [2 / 255, 0.05, 0.1])
def test_random_search_never_beats_it_by_more_than_a_point(digits, eps):
    (by_gradient,) = accuracies(digits, [eps], step_size=eps / 4)
    (by_chance,) = accuracies(digits, [eps], make=RandomSearch, tries=200)
    assert by_chance >= by_gradient - 0.01
    assert by_chance <= accuracies(digits, [0.0])[0]


def test_a_net_that_hides_its_gradients_is_found_out_by_random_search(digits):
    """The watchdog barks: behind a rounding layer gradients are 0 and PGD is blind."""

    class Rounded(nn.Module):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def forward(self, x):
            return self.net((10 * x).round() / 10)

    masked = digits._replace(net=Rounded(digits.net).eval())
    (by_gradient,) = accuracies(masked, [0.15], step_size=0.03)
    (by_chance,) = accuracies(masked, [0.15], make=RandomSearch, tries=300)
    assert by_chance < by_gradient - 0.01


def test_the_wrapper_maps_pixels_to_the_range_of_the_model():
    seen = []

    class Spy(nn.Module):
        def forward(self, x):
            seen.append(x)
            return torch.stack([x.sum(1), -x.sum(1)], dim=1)

    InPixelSpace(Spy(), low=-1, high=1)(torch.tensor([[0.0, 0.5, 1.0]]))
    assert seen[0].tolist() == [[-1.0, 0.0, 1.0]]
    with pytest.raises(UserError, match="low < high"):
        InPixelSpace(Spy(), low=1, high=1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"eps": -0.1}, "eps is -0.1"),
        ({"eps": float("nan")}, "eps is nan"),
        ({"norm": "l1"}, "norm is 'l1'"),
        ({"steps": -1}, "steps is -1"),
        ({"restarts": 0}, "restarts is 0"),
        ({"step_size": -1.0}, "step_size is -1.0"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(UserError, match=words):
        ProjectedGradient(**settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"eps": -1.0}, "eps is -1"), ({"share": 0.0}, "share is 0"), ({"tries": -1}, "tries is -1")],
)
def test_wrong_settings_of_random_search_are_named(settings, words):
    with pytest.raises(UserError, match=words):
        RandomSearch(**settings)

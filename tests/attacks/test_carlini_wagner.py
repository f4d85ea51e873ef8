import pytest
import torch
from torch import nn

from evoreplay.attacks import CarliniWagner
from evoreplay.errors import UserError


def linear_net(scale=1.0):
    """Two classes; the boundary is x0 + x1 = 1."""
    net = nn.Linear(2, 2)
    with torch.no_grad():
        net.weight.copy_(scale * torch.tensor([[1.0, 1.0], [0.0, 0.0]]))
        net.bias.copy_(scale * torch.tensor([-1.0, 0.0]))
    return net


def test_the_full_budget_finds_the_distance_to_a_linear_boundary():
    x, y = torch.tensor([[0.7, 0.6], [0.9, 0.8], [0.55, 0.5]]), torch.tensor([0, 0, 0])
    found = CarliniWagner(searches=9, constant=1e-3, steps=1000).attack(linear_net(), x, y)
    exact = (x.sum(1) - 1) / 2**0.5
    assert torch.allclose(found.distance, exact, rtol=0.02)
    assert bool((found.distance >= exact - 1e-6).all())


def test_a_search_never_ends_further_away_than_its_own_constants(digits):
    x, y = digits.x[:60], digits.y[:60]
    searched = CarliniWagner(searches=4, constant=0.1, steps=60, rate=0.05).attack(digits.net, x, y)
    fixed = CarliniWagner(searches=1, constant=0.1, steps=60, rate=0.05).attack(digits.net, x, y)
    assert bool((searched.distance <= fixed.distance).all())
    assert searched.accuracy < fixed.accuracy


def test_an_example_that_makes_no_progress_stops_and_the_result_stays(digits):
    def rows_and_found(patience):
        rows = []
        handle = digits.net.register_forward_pre_hook(lambda net, x: rows.append(len(x[0])))
        attack = CarliniWagner(constant=1e-3, steps=400, patience=patience)
        try:
            return attack.attack(digits.net, digits.x[:50], digits.y[:50]), sum(rows)
        finally:
            handle.remove()

    hasty, rows_of_hasty = rows_and_found(40)
    patient, rows_of_patient = rows_and_found(400)
    assert rows_of_hasty < 0.6 * rows_of_patient
    assert hasty.accuracy == patient.accuracy


def test_stopping_early_costs_no_distance_at_the_default_patience(digits):
    x, y = digits.x[:40], digits.y[:40]
    common = {"constant": 1.0, "steps": 400}
    early = CarliniWagner(**common).attack(digits.net, x, y)
    late = CarliniWagner(**common, patience=400).attack(digits.net, x, y)
    assert torch.equal(early.fooled, late.fooled)
    assert early.distance[early.fooled].mean() <= 1.01 * late.distance[late.fooled].mean()


def test_confidence_asks_for_a_lead_of_the_wrong_class(digits):
    x, y = digits.x[:40], digits.y[:40]
    found = CarliniWagner(constant=5.0, steps=200, rate=0.05, confidence=2.0).attack(
        digits.net, x, y
    )
    won = found.fooled & (found.distance > 0)
    with torch.no_grad():
        logits = digits.net(found.x)[won]
    own = logits.gather(1, y[won][:, None]).squeeze(1)
    rival = logits.scatter(1, y[won][:, None], -torch.inf).max(1).values
    assert int(won.sum()) > 20
    assert float((rival - own).min()) >= 2 - 1e-4


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"constant": 0.0}, "constant is 0.0"),
        ({"constant": -1.0}, "constant is -1.0"),
        ({"searches": 0}, "searches is 0"),
        ({"steps": 0}, "steps is 0"),
        ({"rate": float("inf")}, "rate is inf"),
        ({"confidence": -1.0}, "confidence is -1.0"),
        ({"patience": 0}, "patience is 0"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(UserError, match=words):
        CarliniWagner(**settings)

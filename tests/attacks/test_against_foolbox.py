"""The same attacks by foolbox, on the same models, as the oracle."""

import os
import warnings

import pytest
import torch

from evoreplay import Config, run
from evoreplay.attacks import CarliniWagner, ProjectedGradient
from evoreplay.running.attacking import chosen_images, in_pixels
from evoreplay.running.finished import load_finished

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    foolbox = pytest.importorskip("foolbox", reason="foolbox is not installed: the oracle")

PGD_BY_NORM = {
    "linf": foolbox.attacks.LinfProjectedGradientDescentAttack,
    "l2": foolbox.attacks.L2ProjectedGradientDescentAttack,
}


def theirs_pgd(net, x, y, *, eps, norm="linf", step_size=2 / 255, steps=20):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attack = PGD_BY_NORM[norm](abs_stepsize=step_size, steps=steps)
        model = foolbox.PyTorchModel(net, bounds=(0, 1), device="cpu")
        _, _, fooled = attack(model, x, y, epsilons=eps)
    return 1 - fooled.double().mean().item()


def theirs_cw(net, x, y, *, searches=1, constant=1.0, steps=50, rate=0.01):
    """Robust accuracy and the mean l2 of what was fooled, clean mistakes aside.

    Where it finds nothing foolbox hands back a black image and asks whether that fools the model.
    """
    attack = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=searches,
        initial_const=constant,
        steps=steps,
        stepsize=rate,
        abort_early=False,
    )
    model = foolbox.PyTorchModel(net, bounds=(0, 1), device="cpu")
    found, _, fooled = attack(model, x, y, epsilons=None)
    with torch.no_grad():
        right = net(x).argmax(1) == y
    fooled &= found.flatten(1).any(dim=1)
    lengths = (found - x).flatten(1).norm(dim=1)[fooled & right]
    return 1 - (fooled | ~right).double().mean().item(), lengths.mean().item()


def agree_on_pgd(target, radii, points=0.01, **settings):
    net, x, y = target
    for eps in radii:
        generator = torch.Generator().manual_seed(1)
        ours = ProjectedGradient(eps=eps, **settings).attack(net, x, y, generator=generator)
        assert ours.accuracy == pytest.approx(
            theirs_pgd(net, x, y, eps=eps, **settings), abs=points + 1e-9
        ), eps


def agree_on_cw(target, share=1.0, **settings):
    net, x, y = target
    ours = CarliniWagner(**settings).attack(net, x, y)
    accuracy, length = theirs_cw(net, x, y, **settings)
    assert ours.accuracy == pytest.approx(accuracy, abs=0.02 / share)
    successes = ours.distance[ours.fooled & (ours.distance > 0)]
    assert successes.mean().item() == pytest.approx(length, rel=0.05)


def test_pgd_agrees_within_a_point_at_every_eps_of_the_budget(digits):
    agree_on_pgd(digits, [n / 255 for n in range(1, 11)])


def test_pgd_agrees_where_most_digits_fall(digits):
    agree_on_pgd(digits, [0.05, 0.08, 0.12, 0.2], step_size=0.02)


def test_pgd_agrees_in_the_l2_ball(digits):
    agree_on_pgd(digits, [0.2, 0.5, 0.8, 1.2], norm="l2", step_size=0.1)


def test_quick_carlini_wagner_agrees(digits):
    agree_on_cw(digits)


def test_carlini_wagner_with_a_search_agrees(digits):
    few = digits._replace(x=digits.x[:100], y=digits.y[:100])
    agree_on_cw(few, searches=5, constant=0.01, steps=100)


@pytest.mark.slow
def test_full_carlini_wagner_agrees(digits):
    agree_on_cw(digits, searches=9, constant=1e-3, steps=1000)


def test_logits_about_minus_50_change_nothing(digits, shifted):
    lowered = digits._replace(net=shifted(digits.net, by=-50.0).eval())
    with torch.no_grad():
        assert float(lowered.net(lowered.x).max()) < 0
    agree_on_pgd(lowered, [4 / 255, 0.1])
    agree_on_cw(lowered)
    ours, plain = (CarliniWagner().attack(t.net, t.x, t.y) for t in (lowered, digits))
    assert ours.accuracy == pytest.approx(plain.accuracy, abs=0.005)
    assert ours.accuracy < 0.9


def test_pgd_sees_through_saturated_logits_where_the_plain_loss_is_blind(digits, shifted):
    steep = digits._replace(net=shifted(digits.net, times=1000.0).eval())
    attack = ProjectedGradient(eps=0.12, step_size=0.02)

    def ours(target):
        generator = torch.Generator().manual_seed(1)
        return attack.attack(*target, generator=generator).accuracy

    assert ours(steep) == pytest.approx(ours(digits), abs=0.03)
    assert theirs_pgd(*steep, eps=0.12, step_size=0.02) > ours(steep) + 0.2


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("EVOREPLAY_DATA"), reason="EVOREPLAY_DATA is not set: no real CIFAR-10"
)
def test_both_attacks_agree_on_a_cifar10_network(digits, shifted, tmp_path):
    """500 test images; those that are misclassified anyway are left out on both sides."""
    path = run(Config(dataset="cifar10", method="er", scale=0.05), out=tmp_path).path
    finished = load_finished(path)
    net = in_pixels(finished.model).eval()
    x, y = chosen_images(finished.experiment.test, 500)
    with torch.no_grad():
        right = torch.cat([net(part).argmax(1) for part in x.split(100)]) == y
    share = right.double().mean().item()
    assert share > 0.15
    target = digits._replace(net=net, x=x[right], y=y[right])
    agree_on_pgd(target, [n / 255 for n in range(1, 11)], points=0.01 / share)
    agree_on_cw(target, share=share)
    agree_on_cw(target._replace(net=shifted(net, by=-50.0).eval()), share=share)

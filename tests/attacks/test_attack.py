"""What holds for every attack; one line in the table adds another."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import evoreplay as ev
from evoreplay.attacks import CarliniWagner, ProjectedGradient, RandomSearch
from evoreplay.errors import NonFiniteLossError, UserError

ATTACKS = {
    "pgd linf": lambda eps: ProjectedGradient(eps=eps, steps=5, step_size=0.1),
    "pgd l2": lambda eps: ProjectedGradient(eps=eps, norm="l2", steps=5, restarts=2),
    "pgd without random start": lambda eps: ProjectedGradient(eps=eps, random_start=False, steps=5),
    "random search": lambda eps: RandomSearch(eps=eps, tries=10),
    "carlini wagner": lambda eps: CarliniWagner(steps=20, rate=0.1),
    "carlini wagner with a search": lambda eps: CarliniWagner(searches=4, steps=10, rate=0.1),
}
EVERY = pytest.mark.parametrize("make", ATTACKS.values(), ids=ATTACKS)


def small_net(seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Flatten(), nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3))


@EVERY
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), eps=st.floats(0, 1), corners=st.booleans())
def test_what_is_found_is_in_the_ball_in_the_box_and_fools(make, seed, eps, corners):
    net, generator, attack = small_net(seed), torch.Generator().manual_seed(seed), make(eps)
    x = torch.rand(6, 3, 2, 2, generator=generator)
    x = x.round() if corners else x
    y = torch.randint(3, (6,), generator=generator)
    found = attack.attack(net, x, y, generator=generator)
    assert found.x.shape == x.shape
    assert float(found.x.min()) >= 0
    assert float(found.x.max()) <= 1
    with torch.no_grad():
        assert torch.equal(net(found.x).argmax(1) != y, found.fooled)
    order = torch.inf if getattr(attack, "norm", "linf") == "linf" else 2
    if isinstance(attack, CarliniWagner):
        order = 2
    length = torch.linalg.vector_norm((found.x - x).flatten(1), ord=order, dim=1)
    assert torch.allclose(length[found.fooled], found.distance[found.fooled], atol=1e-6)
    assert bool(found.distance[~found.fooled].isinf().all())
    if not isinstance(attack, CarliniWagner):
        assert float(length.max()) <= eps + 1e-6


@EVERY
def test_clean_mistakes_count_as_fooled_and_are_not_touched(make, digits, generator):
    wrong = (digits.y[:50] + 1) % 10
    found = make(0.1).attack(digits.net, digits.x[:50], wrong, generator=generator)
    mistaken = digits.net(digits.x[:50]).argmax(1) != wrong
    assert bool(mistaken.any())
    assert bool(found.fooled[mistaken].all())
    assert torch.equal(found.x[mistaken], digits.x[:50][mistaken])
    assert float(found.distance[mistaken].max()) == 0


class Restless(nn.Module):
    """BatchNorm, dropout, a buffer that each forward writes to, and one that it replaces."""

    def __init__(self):
        super().__init__()
        self.norm, self.dropout = nn.BatchNorm2d(3), nn.Dropout(0.5)
        self.linear = nn.Linear(12, 3)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("last", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        self.last = x.detach().mean()
        torch.rand(())  # a model may draw in eval mode, too
        return self.linear(self.dropout(self.norm(x)).flatten(1))


@EVERY
def test_an_attack_leaves_no_trace(make, generator):
    net = Restless()
    net.train()
    net.norm.eval()
    for parameter in net.parameters():
        parameter.grad = torch.ones_like(parameter)
    state = {name: value.clone() for name, value in net.state_dict().items()}
    buffers = {name: id(buffer) for name, buffer in net.named_buffers()}
    modes = [module.training for module in net.modules()]
    x, y = torch.rand(6, 3, 2, 2), torch.tensor([0, 1, 2, 0, 1, 2])
    given_x, random_state = x.clone(), torch.get_rng_state()

    make(0.3).attack(net, x, y, generator=generator)

    assert torch.equal(torch.get_rng_state(), random_state)
    assert torch.equal(x, given_x)
    assert not x.requires_grad
    assert [module.training for module in net.modules()] == modes
    assert {name: id(buffer) for name, buffer in net.named_buffers()} == buffers
    assert all(torch.equal(value, state[name]) for name, value in net.state_dict().items())
    for parameter in net.parameters():
        assert parameter.requires_grad
        assert torch.equal(parameter.grad, torch.ones_like(parameter))


@EVERY
def test_an_attack_works_where_gradients_are_switched_off(make, digits, generator):
    with torch.no_grad():
        found = make(0.3).attack(digits.net, digits.x[:20], digits.y[:20], generator=generator)
    assert not found.x.requires_grad
    assert found.fooled.dtype == torch.bool


@EVERY
def test_the_same_generator_gives_the_same_examples(make, digits):
    first, second = (
        make(0.1).attack(
            digits.net, digits.x[:50], digits.y[:50], generator=torch.Generator().manual_seed(3)
        )
        for _ in range(2)
    )
    assert torch.equal(first.x, second.x)


@EVERY
def test_no_examples_are_no_trouble(make, generator):
    found = make(0.1).attack(
        small_net(0), torch.zeros(0, 3, 2, 2), torch.zeros(0, dtype=torch.long), generator=generator
    )
    assert [len(part) for part in found] == [0, 0, 0]


@EVERY
@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (torch.full((2, 3, 2, 2), -1.0), torch.zeros(2, dtype=torch.long), r"lie in \[-1, -1\]"),
        (torch.zeros(2, 3, 2, 2, dtype=torch.uint8), torch.zeros(2, dtype=torch.long), "uint8"),
        (torch.zeros(2, 3, 2, 2), torch.zeros(3, dtype=torch.long), "one label each"),
    ],
)
def test_what_are_no_pixels_is_refused(make, x, y, words, generator):
    with pytest.raises(UserError, match=words):
        make(0.1).attack(small_net(0), x, y, generator=generator)


@EVERY
def test_a_model_that_gives_nan_is_not_called_robust(make, generator):
    net = small_net(0)
    nn.init.constant_(net[3].bias, float("nan"))
    with pytest.raises(NonFiniteLossError, match="would say nothing"):
        make(0.1).attack(
            net, torch.rand(2, 3, 2, 2), torch.zeros(2, dtype=torch.long), generator=generator
        )


@EVERY
def test_a_model_with_one_output_is_refused(make, generator):
    net = nn.Sequential(nn.Flatten(), nn.Linear(12, 1))
    with pytest.raises(UserError, match="two or more logits"):
        make(0.1).attack(
            net, torch.rand(2, 3, 2, 2), torch.zeros(2, dtype=torch.long), generator=generator
        )


def test_they_are_where_the_package_promises():
    assert ev.attacks.ProjectedGradient is ProjectedGradient
    assert ev.attacks.CarliniWagner is CarliniWagner

import pytest
import torch

from evoreplay import GeneralFlow, Hamiltonian, Langevin, Noise, Stein, UserError
from evoreplay.checks import FLOW_CHECKS

MAKERS = {
    "langevin": lambda: Langevin(),
    "langevin normalised": lambda: Langevin(step="normalised", temperature=0),
    "stein": lambda: Stein(),
    "hamiltonian": lambda: Hamiltonian(),
    "hamiltonian thermal": lambda: Hamiltonian(initial_velocity="thermal", steps=1),
    "noise": lambda: Noise(match="hamiltonian"),
    "general": lambda: GeneralFlow(),
    "general with momentum": lambda: GeneralFlow(momentum=True, curl=1.0),
}


@pytest.mark.parametrize("check", FLOW_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MAKERS)
def test_every_flow_passes_the_generic_checks(name, check):
    check(MAKERS[name])


@pytest.mark.parametrize("name", MAKERS)
def test_zero_steps_leave_the_particles_as_they_are(name):
    flow = type(MAKERS[name]())(steps=0)
    x = torch.randn(3, 4)
    assert torch.equal(flow.evolve(x, lambda x: x, generator=torch.Generator()), x)


def test_normalised_steps_have_the_rate_as_their_rms_and_zero_stays_zero():
    x = torch.tensor([[3.0, 4.0], [0.0, 0.0], [1e-20, 0.0]])
    flow = Langevin(steps=1, rate=0.1, temperature=0, step="normalised")
    moved = flow.evolve(x, lambda x: 7 * x, generator=torch.Generator()) - x
    rms = moved.square().mean(dim=1).sqrt()
    torch.testing.assert_close(rms, torch.tensor([0.1, 0.0, 0.1]))
    torch.testing.assert_close(moved[0] / moved[0].norm(), -torch.tensor([0.6, 0.8]))


def test_clamp_holds_after_the_last_step():
    flow = Langevin(steps=3, rate=1.0, clamp=(-0.5, 0.5))
    moved = flow.evolve(torch.zeros(100, 3), lambda x: x, generator=torch.Generator())
    assert float(moved.max()) == 0.5
    assert float(moved.min()) == -0.5


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"steps": -1}, "steps is -1"),
        ({"steps": 1.5}, "steps is 1.5"),
        ({"rate": -0.1}, "rate is -0.1"),
        ({"rate": float("nan")}, "rate is nan"),
        ({"rate": float("inf")}, "rate is inf"),
        ({"temperature": -1.0}, "temperature is -1.0"),
        ({"step": "big"}, "step is 'big'"),
        ({"clamp": (1.0, -1.0)}, "clamp is (1.0, -1.0)"),
    ],
)
def test_bad_options_are_named_in_the_message(options, word):
    with pytest.raises(UserError, match=word.replace("(", r"\(").replace(")", r"\)")):
        Stein(**options)


def test_friction_outside_zero_and_one_is_refused():
    with pytest.raises(UserError, match=r"friction is 1\.5"):
        Hamiltonian(friction=1.5)
    with pytest.raises(UserError, match="initial_velocity is 'fast'"):
        Hamiltonian(initial_velocity="fast")

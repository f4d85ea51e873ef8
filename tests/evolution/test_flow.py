import pytest
import torch

from evoreplay import GeneralFlow, Hamiltonian, Langevin, Noise, Stein, UserError
from evoreplay.checks import FLOW_CHECKS, seeded

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


@pytest.mark.parametrize("flow", [Langevin, Stein, Hamiltonian, Noise], ids=lambda f: f.__name__)
def test_in_units_a_flow_moves_particles_of_any_size_by_the_same_share(flow):
    x = torch.randn(5, 3, generator=seeded(0), dtype=torch.float64)
    made = flow(steps=3, rate=0.02, step="normalised")

    def moved(size):
        unit = torch.full((5,), size, dtype=torch.float64)
        found = made.evolve(size * x, lambda z: z / size, generator=seeded(1), unit=unit)
        return found / size

    torch.testing.assert_close(moved(1.0), moved(1000.0))
    torch.testing.assert_close(moved(1.0), made.evolve(x, lambda z: z, generator=seeded(1)))


def test_a_particle_whose_unit_is_zero_stays_and_the_others_move():
    x = torch.tensor([[0.0, 0.0], [1.0, 2.0]])
    flow = Langevin(steps=2, rate=0.1, step="normalised")
    found = flow.evolve(x, lambda z: z, generator=seeded(0), unit=torch.tensor([0.0, 1.0]))
    assert torch.equal(found[0], x[0])
    assert not torch.equal(found[1], x[1])


def test_the_first_gradient_is_asked_for_exactly_at_the_start_and_the_clamp_is_in_units_of_x():
    asked = []

    def field(z):
        asked.append(z.clone())
        return z

    x = 100 * torch.rand(4, 3, generator=seeded(0))
    flow = Langevin(steps=2, rate=0.1, step="normalised", clamp=(10.0, 20.0))
    found = flow.evolve(x, field, generator=seeded(0), unit=torch.full((4,), 57.7))
    assert torch.equal(asked[0], x)
    assert found.min() >= 10
    assert found.max() <= 20


def test_raw_steps_in_units_are_the_flow_of_the_stretched_energy():
    # u = x / s on U(x) = x^2 / 2 has the gradient s^2 u
    x, unit = torch.tensor([[3.0], [5.0]]), torch.tensor([2.0, 4.0])
    flow = Langevin(steps=1, rate=0.01, temperature=0)
    found = flow.evolve(x, lambda z: z, generator=seeded(0), unit=unit)
    u = x / unit[:, None]
    torch.testing.assert_close(found, unit[:, None] * (u - 0.01 * unit[:, None] ** 2 * u))

import math

import numpy as np
import scipy.linalg
import torch

from evoreplay import Hamiltonian


def test_hamiltonian_reaches_the_covariance_of_its_discrete_lyapunov_equation():
    curvature, rate, friction = 1.0, 0.04, 0.3
    step = np.array([[1.0, 1.0], [-rate * curvature, 1 - friction]])
    noise = np.diag([0.0, 2 * friction * rate])
    expected = scipy.linalg.solve_discrete_lyapunov(step, noise)[0, 0]
    flow = Hamiltonian(steps=250, rate=rate, friction=friction)
    x = flow.evolve(
        torch.zeros(30_000, 1, dtype=torch.float64),
        lambda x: curvature * x,
        generator=torch.Generator().manual_seed(0),
    )
    assert abs(float(x.var()) / expected - 1) < 4 * math.sqrt(2 / len(x))


def test_the_update_is_the_papers_written_out_with_velocity_from_zero():
    rate, friction = 0.1, 0.2
    x, velocity = 1.0, 0.0
    for _ in range(4):
        x, velocity = x + velocity, velocity - rate * x**3 - friction * velocity
    moved = Hamiltonian(steps=4, rate=rate, friction=friction, temperature=0).evolve(
        torch.tensor([[1.0]], dtype=torch.float64), lambda x: x**3, generator=torch.Generator()
    )
    assert math.isclose(float(moved), x, rel_tol=1e-12)


def test_the_first_step_from_rest_moves_nothing_and_a_thermal_one_does():
    x = torch.zeros(50_000, 1)
    still = Hamiltonian(steps=1).evolve(x, lambda x: x + 1, generator=torch.Generator())
    assert torch.equal(still, x)
    thermal = Hamiltonian(steps=1, rate=0.04, initial_velocity="thermal")
    moved = thermal.evolve(x, lambda x: x + 1, generator=torch.Generator().manual_seed(0))
    assert abs(float(moved.var()) / 0.04 - 1) < 0.03


def test_no_gradient_is_computed_twice_or_in_vain():
    def calls(**options):
        seen = []
        Hamiltonian(steps=5, **options).evolve(
            torch.ones(2, 2), lambda x: seen.append(1) or x, generator=torch.Generator()
        )
        return len(seen)

    # nothing uses the last one; from rest the first step moves nothing, so two are the same
    assert calls(initial_velocity="thermal") == 4
    assert calls() == 3

import math

import numpy as np
import pytest
import scipy.linalg
import torch

from evoreplay import GeneralFlow, Hamiltonian, Langevin, UserError


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_identity_and_no_curl_give_langevin_for_the_same_generator():
    x = torch.randn(7, 2, 3, generator=generator(), dtype=torch.float64)
    options = {"steps": 4, "rate": 0.05}
    langevin = Langevin(**options).evolve(x, lambda x: x**3, generator=generator(1))
    for diffusion in (1.0, torch.ones(2, 3), torch.eye(6), lambda z: torch.ones_like(z)):
        flow = GeneralFlow(diffusion=diffusion, **options)
        moved = flow.evolve(x, lambda x: x**3, generator=generator(1))
        torch.testing.assert_close(moved, langevin, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("initial", ["zero", "thermal"])
def test_the_papers_block_choice_gives_the_hamiltonian_flow_for_the_same_generator(initial):
    rate, friction = 0.04, 0.3
    x = torch.randn(5, 4, generator=generator(), dtype=torch.float64)
    hamiltonian = Hamiltonian(steps=6, rate=rate, friction=friction, initial_velocity=initial)
    time_step = math.sqrt(rate)
    general = GeneralFlow(
        steps=6,
        rate=time_step,
        momentum=True,
        diffusion=torch.tensor([0.0, friction / time_step]),
        curl=1.0,
        initial_momentum=initial,
    )
    expected = hamiltonian.evolve(x, lambda x: x**3, generator=generator(1))
    moved = general.evolve(x, lambda x: x**3, generator=generator(1))
    torch.testing.assert_close(moved, expected, rtol=1e-9, atol=1e-11)


def test_the_same_blocks_as_whole_matrices():
    size, friction, time_step = 2, 0.5, 0.2
    zero, one = torch.zeros(size, size), torch.eye(size)
    blocks = torch.cat([torch.cat([zero, -one], 1), torch.cat([one, zero], 1)])
    diffusion = torch.block_diag(zero, friction * one)
    x = torch.randn(5, size, generator=generator(), dtype=torch.float64)
    options = {"steps": 5, "rate": time_step, "momentum": True}
    by_matrix = GeneralFlow(diffusion=diffusion, curl=blocks, **options)
    by_number = GeneralFlow(diffusion=torch.tensor([0.0, friction]), curl=1.0, **options)
    torch.testing.assert_close(
        by_matrix.evolve(x, lambda x: x, generator=generator(1)),
        by_number.evolve(x, lambda x: x, generator=generator(1)),
    )


COVARIANCE = torch.tensor([[1.0, 0.6], [0.6, 1.5]], dtype=torch.float64)
PRECISION = torch.linalg.inv(COVARIANCE)
CHOICES = {
    "per element": (torch.tensor([0.5, 1.5]), 0.0),
    "matrix": (torch.tensor([[1.0, 0.4], [0.4, 0.8]]), torch.tensor([[0.0, 0.7], [-0.7, 0.0]])),
    "singular matrix": (
        torch.tensor([[1.0, 1.0], [1.0, 1.0]]),
        torch.tensor([[0.0, -1.0], [1.0, 0.0]]),
    ),
    "callable": (lambda z: torch.tensor([0.5, 1.5], dtype=z.dtype) + 0 * z, 0.0),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_a_users_d_and_q_keep_a_correlated_gaussian_as_their_euler_scheme_says(choice):
    diffusion, curl = CHOICES[choice]
    rate = 0.05
    flow = GeneralFlow(steps=400, rate=rate, diffusion=diffusion, curl=curl)
    x = flow.evolve(
        torch.zeros(15_000, 2, dtype=torch.float64),
        lambda x: x @ PRECISION,
        generator=generator(),
    )
    constant = diffusion(torch.zeros(2)) if callable(diffusion) else diffusion
    d = constant.double().numpy()
    d = np.diag(d) if d.ndim == 1 else d
    q = np.zeros((2, 2)) if isinstance(curl, float) else curl.double().numpy()
    step = np.eye(2) - rate * (d + q) @ PRECISION.numpy()
    expected = scipy.linalg.solve_discrete_lyapunov(step, 2 * rate * d)
    assert np.abs(np.cov(x.numpy().T) - expected).max() < 0.06
    # and the scheme itself is near the target
    assert np.abs(expected - COVARIANCE.numpy()).max() < 0.15


def test_a_state_dependent_diffusion_needs_its_correction():
    flow = GeneralFlow(steps=600, rate=0.02, diffusion=lambda z: 1 / (1 + z**2))
    x = torch.randn(20_000, 1, generator=generator(), dtype=torch.float64)
    moved = flow.evolve(x, lambda x: x, generator=generator(1))
    assert abs(float(moved.var()) - 1.0) < 0.06

    class WithoutCorrection(GeneralFlow):
        def _correction(self, state):
            return torch.zeros_like(state)

    wrong = WithoutCorrection(steps=600, rate=0.02, diffusion=lambda z: 1 / (1 + z**2))
    assert abs(float(wrong.evolve(x, lambda x: x, generator=generator(1)).var()) - 1.9) < 0.15


def test_a_state_dependent_matrix_and_curl_have_the_divergence_of_their_rows():
    def diffusion(z):
        return torch.diag(1 + z**2)

    def curl(z):
        turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=z.dtype)
        return turn * z[0] * z[1]

    state = torch.randn(6, 2, generator=generator(), dtype=torch.float64)
    found = GeneralFlow(diffusion=diffusion, curl=curl)._correction(state)
    # by hand: D_ii gives 2 z_i; Q_01 = z0 z1 gives d/dz1 = z0; Q_10 = -z0 z1 gives d/dz0 = -z1
    expected = torch.stack([2 * state[:, 0] + state[:, 0], 2 * state[:, 1] - state[:, 1]], dim=1)
    torch.testing.assert_close(found, expected)


def test_a_function_that_returns_one_number_is_a_diffusion_for_all_elements():
    x = torch.randn(3, 3, generator=generator(), dtype=torch.float64)
    options = {"steps": 3, "rate": 0.05}
    by_number = GeneralFlow(diffusion=lambda z: 1 / (1 + z.square().sum()), **options)
    by_values = GeneralFlow(diffusion=lambda z: (1 / (1 + z.square().sum())).expand(3), **options)
    moved = [f.evolve(x, lambda x: x, generator=generator(1)) for f in (by_number, by_values)]
    torch.testing.assert_close(*moved)


def test_no_noise_is_drawn_for_a_block_without_diffusion():
    source = generator(3)
    flow = GeneralFlow(steps=1, momentum=True, diffusion=torch.tensor([0.0, 1.0]), curl=1.0)
    flow.evolve(torch.zeros(4, 2), lambda x: x, generator=source)
    reference = generator(3)
    torch.randn(4, 2, generator=reference)
    assert torch.equal(source.get_state(), reference.get_state())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"diffusion": torch.tensor([[1.0, 0.5], [0.0, 1.0]])}, "diffusion is not symmetric"),
        ({"diffusion": -1.0}, "positive semidefinite"),
        ({"diffusion": torch.tensor([[0.0, 1.0], [1.0, 0.0]])}, "positive semidefinite"),
        ({"diffusion": torch.ones(3)}, "give a number, 2 values or a 2 x 2 matrix"),
        ({"diffusion": lambda z: torch.ones(3)}, "return a number, 2 values"),
        ({"diffusion": lambda z: torch.tensor([[1.0, 0.5], [0.0, 1.0]])}, "is not symmetric"),
        ({"curl": 1.0}, "momentum=True"),
        ({"curl": torch.eye(2)}, "curl is not skew-symmetric"),
        ({"curl": torch.zeros(3, 3)}, "give a 2 x 2 matrix"),
    ],
)
def test_what_is_no_diffusion_or_no_curl_is_refused(options, words):
    with pytest.raises(UserError, match=words):
        GeneralFlow(**options).evolve(torch.ones(3, 2), lambda x: x, generator=generator())

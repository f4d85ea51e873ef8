import math

import pytest
import torch

from evoreplay import Hamiltonian, Langevin, Noise, UserError


def empirical_deviation(flow):
    x = torch.zeros(200_000, 1, dtype=torch.float64)
    moved = flow.evolve(x, torch.zeros_like, generator=torch.Generator().manual_seed(0))
    return float(moved.std())


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_noise_has_the_total_deviation_of_langevin_on_a_flat_energy(temperature):
    options = {"steps": 5, "rate": 0.01, "temperature": temperature}
    noise = Noise(**options)
    assert math.isclose(noise.standard_deviation, math.sqrt(2 * 0.01 * 5 * temperature))
    assert math.isclose(empirical_deviation(noise), noise.standard_deviation, rel_tol=0.01)
    flow = Langevin(**options)
    assert math.isclose(empirical_deviation(flow), noise.standard_deviation, rel_tol=0.01)


@pytest.mark.parametrize("initial_velocity", ["zero", "thermal"])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_noise_has_the_total_deviation_of_hamiltonian_on_a_flat_energy(steps, initial_velocity):
    options = {"steps": steps, "rate": 0.02, "friction": 0.3, "initial_velocity": initial_velocity}
    noise = Noise(match="hamiltonian", **options)
    measured = empirical_deviation(Hamiltonian(**options))
    assert math.isclose(noise.standard_deviation, measured, rel_tol=0.01, abs_tol=1e-12)


def test_the_number_of_the_specification():
    noise = Noise(match="hamiltonian", steps=5, rate=1.0, friction=0.1)
    assert round(noise.standard_deviation, 2) == 2.18


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_noise_goes_as_far_as_normalised_steps_that_all_point_the_same_way(temperature):
    options = {"steps": 3, "rate": 0.02, "temperature": temperature, "step": "normalised"}
    noise = Noise(match="distance", **options)
    slope = torch.linspace(-1, 2, 500, dtype=torch.float64)
    start = torch.zeros(400, 500, dtype=torch.float64)
    generator = torch.Generator().manual_seed(0)
    moved = Langevin(**options).evolve(start, lambda x: slope.expand_as(x), generator=generator)
    distance = float(moved.square().mean().sqrt())
    assert math.isclose(noise.standard_deviation, distance, rel_tol=0.01)
    assert math.isclose(empirical_deviation(noise), distance, rel_tol=0.01)


def test_without_normalised_steps_there_is_no_distance_to_match():
    with pytest.raises(UserError, match="give step='normalised' too, or another match"):
        Noise(match="distance")


def test_the_energy_is_never_asked():
    def explode(x):
        raise AssertionError("asked")

    Noise().evolve(torch.zeros(2, 2), explode, generator=torch.Generator())


def test_an_unknown_match_is_refused():
    with pytest.raises(UserError, match="match is 'stein'"):
        Noise(match="stein")

import torch

from evoreplay import Langevin


def test_langevin_on_a_quadratic_energy_has_the_variance_of_its_own_discretisation():
    # U = c x^2 / 2: x' = (1 - a c) x + sqrt(2 a) xi, so var = 2 a / (1 - (1 - a c)^2)
    curvature, rate = 2.0, 0.2
    flow = Langevin(steps=60, rate=rate)
    x = flow.evolve(
        torch.zeros(60_000, 1, dtype=torch.float64),
        lambda x: curvature * x,
        generator=torch.Generator().manual_seed(0),
    )
    expected = 2 * rate / (1 - (1 - rate * curvature) ** 2)
    assert abs(float(x.mean())) < 4 * (expected / len(x)) ** 0.5
    assert abs(float(x.var()) / expected - 1) < 4 * (2 / len(x)) ** 0.5


def test_temperature_multiplies_the_variance():
    def variance(temperature):
        flow = Langevin(steps=40, rate=0.2, temperature=temperature)
        x = torch.zeros(20_000, 1)
        return float(flow.evolve(x, lambda x: x, generator=torch.Generator().manual_seed(0)).var())

    assert abs(variance(0.25) / variance(1.0) - 0.25) < 1e-4
    assert variance(0.0) == 0


def test_without_noise_it_is_gradient_descent_written_out():
    x = torch.tensor([[1.0], [-2.0]], dtype=torch.float64)
    flow = Langevin(steps=3, rate=0.1, temperature=0)
    moved = flow.evolve(x, lambda x: x**3, generator=torch.Generator())
    expected = []
    for value in (1.0, -2.0):
        for _ in range(3):
            value -= 0.1 * value**3
        expected.append([value])
    torch.testing.assert_close(moved, torch.tensor(expected, dtype=torch.float64))


def test_the_same_noise_enters_whatever_the_shape_of_a_particle():
    flow = Langevin(steps=2, rate=0.1)
    x = torch.zeros(4, 6)
    flat = flow.evolve(x, lambda x: x, generator=torch.Generator().manual_seed(1))
    shaped = flow.evolve(
        x.reshape(4, 2, 3), lambda x: x, generator=torch.Generator().manual_seed(1)
    )
    assert torch.equal(flat, shaped.reshape(4, 6))

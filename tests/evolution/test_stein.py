import math

import pytest
import torch

from evoreplay import Stein
from evoreplay.evolution.stein import gaussian_kernel, weighted_differences


def slow_step(x, gradient, rate, temperature=1.0):
    """SVGD with loops and autograd for the kernel's gradient; no formula of ours is used."""
    count = len(x)
    squared = sorted(
        float(((x[i] - x[j]) ** 2).sum()) for i in range(count) for j in range(i + 1, count)
    )
    middle = len(squared) // 2
    median = squared[middle] if len(squared) % 2 else (squared[middle - 1] + squared[middle]) / 2
    bandwidth = median / math.log(count + 1)
    result = []
    for i in range(count):
        total = torch.zeros_like(x[i])
        for j in range(count):
            other = x[j].clone().requires_grad_()
            kernel = torch.exp(-((x[i] - other) ** 2).sum() / bandwidth)
            (repulsion,) = torch.autograd.grad(kernel, other)
            total += kernel.detach() * gradient[j] - temperature * repulsion
        result.append(x[i] - rate / count * total)
    return torch.stack(result)


def test_one_step_equals_the_slow_sum_over_pairs():
    for count in (2, 5, 8):
        x = torch.randn(
            count, 3, generator=torch.Generator().manual_seed(count), dtype=torch.float64
        )
        moved = Stein(steps=1, rate=0.3, temperature=0.7).evolve(
            x, lambda x: x**3, generator=torch.Generator()
        )
        torch.testing.assert_close(moved, slow_step(x, x**3, 0.3, 0.7))


@pytest.mark.parametrize("size", [1, 2])
def test_stein_particles_reach_mean_and_variance_of_a_gaussian(size):
    generator = torch.Generator().manual_seed(0)
    x = 3 * torch.randn(60, size, generator=generator, dtype=torch.float64)
    x = Stein(steps=1500, rate=0.3).evolve(x, lambda x: (x - 1.5) / 2.0, generator=generator)
    assert (x.mean(dim=0) - 1.5).abs().max() < 0.05
    # the target's variance is 2; SVGD is a little narrow
    assert ((x.var(dim=0) / 2.0) - 1).abs().max() < 0.2


def test_stein_particles_spread_when_the_energy_is_flat():
    x = 0.1 * torch.randn(20, 2, generator=torch.Generator().manual_seed(0))
    moved = Stein(steps=20, rate=0.1).evolve(x, torch.zeros_like, generator=torch.Generator())
    assert float(moved.var(dim=0).min()) > 1.5 * float(x.var(dim=0).max())


def test_a_single_particle_follows_its_gradient_alone():
    x = torch.tensor([[2.0, -1.0]])
    moved = Stein(steps=1, rate=0.1).evolve(x, lambda x: 3 * x, generator=torch.Generator())
    torch.testing.assert_close(moved, x - 0.3 * x)


@pytest.mark.parametrize("different", [0, 2])
def test_particles_that_coincide_stay_where_they_are(different):
    x = torch.rand(1, 3, 8, 8).repeat(10, 1, 1, 1)
    x[:different] += torch.rand(different, 3, 8, 8)
    moved = Stein(steps=5, rate=0.01).evolve(x, torch.zeros_like, generator=torch.Generator())
    assert float((moved - x).abs().max()) < 1e-3


def test_many_particles_are_taken_some_rows_at_a_time(monkeypatch):
    x = torch.randn(50, 3, dtype=torch.float64)
    kernel, _ = gaussian_kernel(x)
    whole = weighted_differences(kernel, x)
    monkeypatch.setattr("evoreplay.evolution.stein.LARGEST_DIFFERENCES", 1000)
    torch.testing.assert_close(weighted_differences(kernel, x), whole)
    assert torch.isfinite(gaussian_kernel(torch.randn(6000, 1))[1])


def test_coinciding_particles_do_not_divide_by_zero():
    x = torch.ones(4, 3)
    kernel, bandwidth = gaussian_kernel(x)
    assert float(bandwidth) > 0
    assert torch.equal(kernel, torch.ones(4, 4))
    moved = Stein(steps=2, rate=0.1).evolve(x, lambda x: x, generator=torch.Generator())
    assert bool(torch.isfinite(moved).all())

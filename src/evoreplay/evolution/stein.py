r"""WGF-SVGD: Stein variational gradient descent.

The particles move together and without noise. Each follows the gradients of all, smoothed by a
kernel, and is pushed away from the others:

    x_i <- x_i - (alpha / N) sum_j [ k(x_i, x_j) grad U(x_j) - grad_{x_j} k(x_i, x_j) ],
    k(a, b) = exp(-|a - b|^2 / h),       grad_{x_j} k(x_i, x_j) = (2 / h) (x_i - x_j) k(x_i, x_j),
    h = median over i<j of |x_i - x_j|^2, divided by log(N + 1), at least 1e-12, anew each step.

The sign of the repulsion: the ICML 2022 paper prints a plus inside the bracket (its Eq.
particleSVGD), which pulls the particles together until they coincide. Its own differential
equation (Eq. ODEevolve) and Liu and Wang have the minus that stands here.

SVGD underestimates the variance in high dimension: 10 particles in 200 dimensions keep about a
hundredth of it (Ba et al., "Understanding the Variance Collapse of SVGD", 2022).

Reference: Liu and Wang, "Stein Variational Gradient Descent", NeurIPS 2016.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from evoreplay.evolution.flow import Flow, per_particle
from evoreplay.parts import EnergyGradient

SMALLEST_BANDWIDTH = 1e-12
LARGEST_DIFFERENCES = 1 << 24


@dataclass(frozen=True, kw_only=True)
class Stein(Flow):
    """Stein variational gradient descent (WGF-SVGD): smoothed gradients and mutual repulsion."""

    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """`steps` times the update above; `generator` is not used."""
        shape, count = x.shape, len(x)
        for _ in range(self.steps):
            gradient = per_particle(energy_gradient(x))
            particles = per_particle(x)
            kernel, bandwidth = gaussian_kernel(particles)
            smoothed_gradient = kernel @ gradient
            repulsion = weighted_differences(kernel, particles) * (2 / bandwidth)
            direction = (smoothed_gradient - self.temperature * repulsion) / count
            x = (particles - self.rate * direction).reshape(shape)
        return x


def weighted_differences(kernel: Tensor, particles: Tensor) -> Tensor:
    """The sums over j of k_ij (x_i - x_j), from the differences themselves.

    Expanding them into k_ij x_i - k_ij x_j would leave rounding, which 2 / h blows up when
    particles coincide. Some rows at a time, so that the differences fit into memory.
    """
    rows = max(1, LARGEST_DIFFERENCES // max(1, particles.numel()))
    parts = [
        (weights.unsqueeze(-1) * (some.unsqueeze(1) - particles)).sum(dim=1)
        for weights, some in zip(kernel.split(rows), particles.split(rows), strict=True)
    ]
    return torch.cat(parts)


def gaussian_kernel(particles: Tensor) -> tuple[Tensor, Tensor]:
    """The matrix k(x_i, x_j) and its bandwidth h, for particles as rows."""
    count = len(particles)
    distance = torch.cdist(particles, particles, compute_mode="donot_use_mm_for_euclid_dist")
    squared = distance.square()
    if count == 1:
        return torch.ones_like(squared), torch.ones_like(squared[0, 0])
    above_diagonal = torch.ones_like(squared, dtype=torch.bool).triu(diagonal=1)
    ordered = squared[above_diagonal].sort().values
    median = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    bandwidth = (median / math.log(count + 1)).clamp(min=SMALLEST_BANDWIDTH)
    return torch.exp(-squared / bandwidth), bandwidth

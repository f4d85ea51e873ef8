r"""WGF-LD: Langevin dynamics.

Each particle follows the gradient of the energy and Brownian motion,

    dX = -grad U(X) dt + sqrt(2) dW,

whose law is the Wasserstein gradient flow of F(mu) = E_mu[U] - entropy(mu); it forgets its start
and tends to the density proportional to exp(-U). The Euler scheme with step alpha is

    x <- x - alpha grad U(x) + sqrt(2 alpha) xi.

Reference: Welling and Teh, "Bayesian Learning via Stochastic Gradient Langevin Dynamics", 2011;
Wang et al., "Improving Task-free Continual Learning by Distributionally Robust Memory Evolution",
ICML 2022, Eq. (particleSGLD). The paper's functional would give a drift of -2 grad U; its update
equation, and ours, has -grad U.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from evoreplay.evolution.flow import Flow, gaussian
from evoreplay.parts import EnergyGradient


@dataclass(frozen=True, kw_only=True)
class Langevin(Flow):
    """Langevin dynamics (WGF-LD): down the energy, with Gaussian noise."""

    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """`steps` times x <- x - rate grad U + sqrt(2 rate temperature) xi."""
        noise_scale = math.sqrt(2 * self.rate * self.temperature)
        for _ in range(self.steps):
            x = x - self.rate * energy_gradient(x)
            if noise_scale > 0:
                x = x + noise_scale * gaussian(x, generator)
        return x

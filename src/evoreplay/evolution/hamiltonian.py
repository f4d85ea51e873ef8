r"""WGF-HMC: Hamiltonian dynamics with friction.

Each particle has a velocity v, which the energy accelerates and friction tau slows:

    x <- x + v
    v <- v - alpha grad U(x_old) - tau v + sqrt(2 tau alpha) xi,

both from the values before the step. A velocity begins at 0 for each minibatch, so the first step
moves nothing; with a single step use `initial_velocity="thermal"`, v_0 ~ N(0, alpha). The scheme is
stable only while alpha times the largest curvature of U is below tau.

The velocity left by the last step is never used, so the last gradient is not computed.

Reference: Chen, Fox and Guestrin, "Stochastic Gradient Hamiltonian Monte Carlo", ICML 2014;
ICML 2022 paper, Eq. (HMC).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.evolution.flow import Flow, gaussian
from evoreplay.parts import EnergyGradient

InitialVelocity = Literal["zero", "thermal"]


@dataclass(frozen=True, kw_only=True)
class Hamiltonian(Flow):
    """Hamiltonian dynamics (WGF-HMC): the energy accelerates, friction slows."""

    friction: float = 0.1
    """Share of the velocity that is lost in a step (the paper's tau), between 0 and 1."""

    initial_velocity: InitialVelocity = "zero"
    """`zero` (paper), or `thermal`: drawn from a normal distribution of variance `rate`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.friction <= 1, f"friction is {self.friction!r}; give a number in [0, 1]")
        require(
            self.initial_velocity in ("zero", "thermal"),
            f"initial_velocity is {self.initial_velocity!r}; give 'zero' or 'thermal'",
        )

    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """`steps` times the update above."""
        noise_scale = math.sqrt(2 * self.friction * self.rate * self.temperature)
        velocity = torch.zeros_like(x)
        thermal_scale = math.sqrt(self.rate * self.temperature)
        at_rest = self.initial_velocity == "zero" or thermal_scale == 0
        if not at_rest:
            velocity = thermal_scale * gaussian(x, generator)
        for step in range(self.steps):
            x_old, x = x, x + velocity
            if step == self.steps - 1:
                break
            if not (step == 1 and at_rest):  # the first step moved nothing: its gradient holds
                gradient = energy_gradient(x_old)
            velocity = velocity - self.rate * gradient - self.friction * velocity
            if noise_scale > 0:
                velocity = velocity + noise_scale * gaussian(x, generator)
        return x

r"""The control: as much noise as a flow adds in all, and no gradient.

Langevin adds sqrt(2 alpha) xi in each of T steps, in total a normal variable of variance

    2 alpha T.

Hamiltonian noise enters through the velocity and keeps moving the particle. What is drawn at step t
has moved it by (1 + r + ... + r^(m-1)), r = 1 - tau, after the m = T - 1 - t steps that are left:

    2 tau alpha sum_{m=1}^{T-1} ( (1 - r^m) / (1 - r) )^2       (2.18^2 alpha at T = 5, tau = 0.1),

and a thermal initial velocity adds alpha ( 1 + r + ... + r^(T-1) )^2.

Normalised steps without noise have nothing to match but how far they go: T of them, each of RMS
alpha, take an example by alpha T if all point the same way. `match="distance"` takes it as far, in
a random direction, and adds Langevin's noise at the temperature if there is any:

    (alpha T)^2 + 2 alpha T temperature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.evolution.flow import gaussian
from evoreplay.evolution.hamiltonian import Hamiltonian
from evoreplay.parts import EnergyGradient


@dataclass(frozen=True, kw_only=True)
class Noise(Hamiltonian):
    """Gaussian noise of the total variance of a flow, drawn at once (its control)."""

    match: Literal["langevin", "hamiltonian", "distance"] = "langevin"
    """The flow whose noise is matched (`friction` and `initial_velocity` are the Hamiltonian's), or
    the distance that normalised steps can go."""

    uses_energy: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.match in ("langevin", "hamiltonian", "distance"),
            f"match is {self.match!r}; give 'langevin', 'hamiltonian' or 'distance'",
        )
        require(
            self.match != "distance" or self.step == "normalised",
            "match is 'distance', and only normalised steps have a known one; give "
            "step='normalised' too, or another match",
        )

    @property
    def standard_deviation(self) -> float:
        """Of the whole displacement of one input value."""
        drift = self.rate * self.steps if self.match == "distance" else 0.0
        variance = 2 * self.rate * self.steps
        if self.match == "hamiltonian":
            kept = 1 - self.friction
            reach = [sum(kept**k for k in range(m)) for m in range(self.steps + 1)]
            variance = 2 * self.friction * self.rate * sum(r * r for r in reach[: self.steps])
            if self.initial_velocity == "thermal":
                variance += self.rate * reach[self.steps] ** 2
        return math.hypot(drift, math.sqrt(variance * self.temperature))

    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """X + standard_deviation xi; the energy is not asked."""
        return x + self.standard_deviation * gaussian(x, generator)

r"""The control: as much noise as a flow adds in all, and no gradient.

Langevin adds sqrt(2 alpha) xi in each of T steps, in total a normal variable of variance

    2 alpha T.

Hamiltonian noise enters through the velocity and keeps moving the particle. What is drawn at step t
has moved it by (1 + r + ... + r^(m-1)), r = 1 - tau, after the m = T - 1 - t steps that are left:

    2 tau alpha sum_{m=1}^{T-1} ( (1 - r^m) / (1 - r) )^2       (2.18^2 alpha at T = 5, tau = 0.1),

and a thermal initial velocity adds alpha ( 1 + r + ... + r^(T-1) )^2.
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

    match: Literal["langevin", "hamiltonian"] = "langevin"
    """The flow whose noise is matched; `friction` and `initial_velocity` are the Hamiltonian's."""

    uses_energy: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.match in ("langevin", "hamiltonian"),
            f"match is {self.match!r}; give 'langevin' or 'hamiltonian'",
        )

    @property
    def standard_deviation(self) -> float:
        """Of the whole displacement of one input value."""
        if self.match == "langevin":
            variance = 2 * self.rate * self.steps
        else:
            kept = 1 - self.friction
            reach = [sum(kept**k for k in range(m)) for m in range(self.steps + 1)]
            variance = 2 * self.friction * self.rate * sum(r * r for r in reach[: self.steps])
            if self.initial_velocity == "thermal":
                variance += self.rate * reach[self.steps] ** 2
        return math.sqrt(variance * self.temperature)

    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """X + standard_deviation xi; the energy is not asked."""
        return x + self.standard_deviation * gaussian(x, generator)

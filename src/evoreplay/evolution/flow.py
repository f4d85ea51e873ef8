"""What all flows share: their options, and how a minibatch of particles is moved.

A `normalised` step has one size whatever the energy: each particle's gradient is scaled to RMS 1.
For inputs, whose range is known, that is all. The features of a layer have a scale of their own at
every depth, so there the flow moves u = z / RMS(z_0), each particle in its own unit: a rate, and
the noise that belongs to it, are shares of the features' RMS and mean the same at every layer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from evoreplay.errors import require, require_finite
from evoreplay.parts import EnergyGradient


@dataclass(frozen=True, kw_only=True)
class Flow(ABC):
    """A way for particles to move down an energy U.

    A flow is a frozen set of options. `evolve` applies it to the N particles of one minibatch and
    knows nothing of models or memories: all it needs is the gradient of U.
    """

    steps: int = 5
    """Evolution steps for each minibatch (the paper's T); 0 leaves the particles as they are."""

    rate: float = 0.01
    """Size of one evolution step (the paper's alpha)."""

    temperature: float = 1.0
    """Multiplies the variance of the noise (for Stein, the repulsion); 0 is deterministic."""

    step: Literal["raw", "normalised"] = "raw"
    """`raw` follows the gradient of U; `normalised` first scales each particle's to RMS 1. On a
    layer of a model, `normalised` also measures all in units of the RMS of the features."""

    clamp: tuple[float, float] | None = None
    """Lowest and highest value of an evolved input, applied after the last step; off by default."""

    uses_energy: ClassVar[bool] = True
    """False for flows that never ask for the gradient, so that nobody computes it for them."""

    def __post_init__(self) -> None:
        require(
            isinstance(self.steps, int) and self.steps >= 0,
            f"steps is {self.steps!r}; give a whole number, 0 or more",
        )
        require_finite(self, "rate", "temperature")
        require(
            self.step in ("raw", "normalised"),
            f"step is {self.step!r}; give 'raw' or 'normalised'",
        )
        require(
            self.clamp is None or self.clamp[0] < self.clamp[1],
            f"clamp is {self.clamp!r}; give (low, high) with low < high, or None",
        )

    def evolve(
        self,
        x: Tensor,
        energy_gradient: EnergyGradient,
        *,
        generator: torch.Generator,
        unit: Tensor | None = None,
    ) -> Tensor:
        """Move the particles `x`, shape (N, ...), by `steps` steps; `x` itself is not changed.

        With `unit`, one length for each particle, the flow moves u = x / unit instead: steps,
        noise and distances count in that unit, and a particle whose unit is 0 stays.
        """
        if self.steps == 0 or len(x) == 0:
            return x.detach()
        if self.step == "normalised":
            energy_gradient = normalised(energy_gradient)
        x = x.detach()
        if unit is None:
            x = self.move(x, energy_gradient, generator)
        else:
            x = self._move_in_units(x, energy_gradient, generator, unit)
        return x if self.clamp is None else x.clamp(*self.clamp)

    def _move_in_units(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator, unit: Tensor
    ) -> Tensor:
        unit = unit.reshape(-1, *[1] * (x.dim() - 1))
        start = x / torch.where(unit > 0, unit, 1)

        def position(u: Tensor) -> Tensor:
            # from x itself, so that the first gradient is asked for exactly there
            return x + unit * (u - start)

        def gradient_in_units(u: Tensor) -> Tensor:
            gradient = energy_gradient(position(u))
            return gradient if self.step == "normalised" else unit * gradient

        return position(self.move(start, gradient_in_units, generator))

    @abstractmethod
    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """All steps of the flow, without clamping: what a new flow has to write."""

    def state_dict(self) -> dict[str, Any]:
        """Nothing: a flow starts afresh with every minibatch."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:  # noqa: B027
        """The counterpart of `state_dict`."""


def normalised(energy_gradient: EnergyGradient) -> EnergyGradient:
    """The same field with each particle's gradient scaled to RMS 1 over its input; 0 stays 0."""

    def unit_gradient(x: Tensor) -> Tensor:
        gradient = energy_gradient(x)
        rms = root_mean_square(gradient)
        scale = torch.where(rms > 0, 1 / rms, 0)
        return gradient * scale.reshape(-1, *[1] * (gradient.dim() - 1))

    return unit_gradient


def root_mean_square(x: Tensor) -> Tensor:
    """Of each particle: one number a row."""
    return per_particle(x).square().mean(dim=1).sqrt()


def per_particle(x: Tensor) -> Tensor:
    """Particles as rows: (N, ...) to (N, d)."""
    return x.reshape(len(x), -1)


def gaussian(like: Tensor, generator: torch.Generator) -> Tensor:
    """Standard normal noise of the shape, type and device of `like`, drawn by `generator`."""
    noise = torch.randn(like.shape, generator=generator, dtype=like.dtype, device=generator.device)
    return noise.to(like.device)

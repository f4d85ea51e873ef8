r"""The general flow: any diffusion D and curl Q that keep the target.

The state z of a particle is its input x alone, or (x, p) with a momentum p and the energy
H(z) = U(x) + |p|^2 / 2. For every positive semidefinite D and skew-symmetric Q,

    dz = [ -(D + Q) grad H(z) + G(z) ] dt + sqrt(2 D) dW,      G_i = sum_j d/dz_j (D_ij + Q_ij)

keeps exp(-H). One Euler step of length `rate` is

    z <- z + rate [ -(D + Q) grad H + G ] + sqrt(2 rate D) xi.

The correction G is 0 for constants; for functions of z it is computed by automatic differentiation
(without it, D = 1 / (1 + x^2) on a standard normal target gives variance 1.9 instead of 1). A
`temperature` multiplies the noise variance and, so that exp(-H / temperature) is kept, G.

Langevin is D = I, Q = 0. The paper's Hamiltonian flow is D = diag(0, C), Q = [[0, -I], [I, 0]] over
(x, p): with rate = sqrt(alpha), v = rate p and C = friction / rate one Euler step is its update.

Reference: Ma, Chen and Fox, "A Complete Recipe for Stochastic Gradient MCMC", NeurIPS 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.func import jacrev, vmap

from evoreplay.errors import UserError, require
from evoreplay.evolution.flow import Flow, gaussian, per_particle
from evoreplay.parts import EnergyGradient

StateFunction = Callable[[Tensor], Tensor]
Coefficient = float | Tensor | StateFunction


class Operator(NamedTuple):
    """A linear map on states: its diagonal (..., n), or its matrix (..., n, n)."""

    values: Tensor
    is_matrix: bool

    def __call__(self, vector: Tensor) -> Tensor:
        if self.is_matrix:
            return (self.values @ vector.unsqueeze(-1)).squeeze(-1)
        return self.values * vector

    def square_root(self) -> Operator:
        """Of a positive semidefinite map; it may be singular."""
        if not self.is_matrix:
            require_positive(self.values)
            return Operator(self.values.clamp(min=0).sqrt(), False)
        eigenvalues, vectors = torch.linalg.eigh(self.values)
        require_positive(eigenvalues)
        roots = eigenvalues.clamp(min=0).sqrt().unsqueeze(-2)
        return Operator((vectors * roots) @ vectors.mT, True)


@dataclass(frozen=True, kw_only=True, eq=False)
class GeneralFlow(Flow):
    """Any diffusion D and curl Q, over x or (x, p); `rate` is the time step."""

    diffusion: Coefficient = 1.0
    """D: a number; a tensor with one value for each element of the state (over (x, p) also two
    values, one for x and one for p); a matrix over the flattened state; or a function of one
    particle's flattened state that returns its diagonal or its matrix."""

    curl: Coefficient = 0.0
    """Q: 0; a skew-symmetric matrix; a function of one particle's flattened state that returns
    one; or, over (x, p), a number q that stands for q [[0, -I], [I, 0]]."""

    momentum: bool = False
    """Whether the state is (x, p) instead of x."""

    initial_momentum: Literal["zero", "thermal"] = "zero"
    """p_0 = 0, or drawn from a normal distribution of variance `temperature`."""

    def move(
        self, x: Tensor, energy_gradient: EnergyGradient, generator: torch.Generator
    ) -> Tensor:
        """`steps` Euler steps of the equation above; the momentum is dropped at the end."""
        shape, size = x.shape, x[0].numel()
        state = per_particle(x)
        if self.momentum:
            p = torch.zeros_like(state)
            if self.initial_momentum == "thermal" and self.temperature > 0:
                p = math.sqrt(self.temperature) * gaussian(state, generator)
            state = torch.cat([state, p], dim=1)
        for _ in range(self.steps):
            position, p = state[:, :size], state[:, size:]
            slope = per_particle(energy_gradient(position.reshape(shape)))
            slope = torch.cat([slope, p], dim=1)
            diffusion = self._diffusion(state, size)
            drift = -diffusion(slope) - self._curl(state, slope, size)
            if self.temperature > 0:
                drift = drift + self.temperature * self._correction(state)
            noise = self._noise(diffusion, state, size, generator)
            state = state + self.rate * drift + noise
        return state[:, :size].reshape(shape)

    def _diffusion(self, state: Tensor, size: int) -> Operator:
        length = state.shape[1]
        if callable(self.diffusion):
            values = vmap(self.diffusion)(state)
            if values.dim() == 1:
                values = values.unsqueeze(1).expand(-1, length)
            require(
                values.shape[1:] in ((length,), (length, length)),
                f"diffusion gave shape {tuple(values.shape[1:])} for a state of {length} elements; "
                f"return a number, {length} values or a {length} x {length} matrix",
            )
            if values.dim() == 3:
                require_symmetric(values, "diffusion", sign=1)
            return Operator(values, is_matrix=values.dim() == 3)
        values = torch.as_tensor(self.diffusion, dtype=state.dtype, device=state.device)
        if values.dim() == 0:
            return Operator(values.expand(length), False)
        if values.shape == (length, length) and length > 1:
            require_symmetric(values, "diffusion", sign=1)
            return Operator(values, True)
        if self.momentum and values.numel() == 2:
            return Operator(values.reshape(2).repeat_interleave(size), False)
        if values.numel() == length:
            return Operator(values.reshape(length), False)
        raise UserError(
            f"diffusion has shape {tuple(values.shape)} but a state has {length} elements; "
            f"give a number, {length} values or a {length} x {length} matrix"
        )

    def _curl(self, state: Tensor, slope: Tensor, size: int) -> Tensor:
        """Q grad H."""
        length = state.shape[1]
        if callable(self.curl):
            matrix = vmap(self.curl)(state)
        else:
            matrix = torch.as_tensor(self.curl, dtype=state.dtype, device=state.device)
            if matrix.dim() == 0:
                require(
                    self.momentum or float(matrix) == 0,
                    f"curl is {float(matrix)} over x alone; "
                    "give a skew-symmetric matrix or momentum=True",
                )
                if not self.momentum:
                    return torch.zeros_like(slope)
                return matrix * torch.cat([-slope[:, size:], slope[:, :size]], dim=1)
        require(
            matrix.shape[-2:] == (length, length),
            f"curl has shape {tuple(matrix.shape[-2:])} but a state has {length} elements; "
            f"give a {length} x {length} matrix",
        )
        require_symmetric(matrix, "curl", sign=-1)
        return Operator(matrix, True)(slope)

    def _correction(self, state: Tensor) -> Tensor:
        total = torch.zeros_like(state)
        for coefficient in (self.diffusion, self.curl):
            if callable(coefficient):
                jacobian = vmap(jacrev(coefficient))(state)
                # a number or a diagonal gives d D_i / d z_i, a matrix sum_j d M_ij / d z_j
                if jacobian.dim() == 3:
                    jacobian = jacobian.diagonal(dim1=-2, dim2=-1)
                elif jacobian.dim() == 4:
                    jacobian = torch.einsum("bijj->bi", jacobian)
                total = total + jacobian
        return total

    def _noise(
        self, diffusion: Operator, state: Tensor, size: int, generator: torch.Generator
    ) -> Tensor:
        """sqrt(2 rate temperature D) xi; nothing is drawn for a block on which D is 0."""
        scale = math.sqrt(2 * self.rate * self.temperature)
        if scale == 0:
            return torch.zeros_like(state)
        strength = diffusion.values.abs().amax(dim=-1) if diffusion.is_matrix else diffusion.values
        blocks = [
            gaussian(block, generator) if bool(active.any()) else torch.zeros_like(block)
            for block, active in (
                (state[:, :size], strength[..., :size]),
                (state[:, size:], strength[..., size:]),
            )
        ]
        return scale * diffusion.square_root()(torch.cat(blocks, dim=1))


def require_positive(eigenvalues: Tensor) -> None:
    """Refuse a diffusion with a negative eigenvalue, rounding aside."""
    lowest, largest = float(eigenvalues.min()), float(eigenvalues.abs().max())
    require(
        lowest >= -1e-5 * largest,
        f"diffusion has the eigenvalue {lowest:.3g}; it must be positive semidefinite",
    )


def require_symmetric(matrix: Tensor, name: str, *, sign: int) -> None:
    """Refuse a matrix that is not symmetric (sign 1) or skew-symmetric (sign -1)."""
    word = "symmetric" if sign == 1 else "skew-symmetric"
    require(
        torch.allclose(matrix, sign * matrix.mT, rtol=1e-4, atol=1e-6),
        f"{name} is not {word}; it must equal {'' if sign == 1 else 'minus '}its transpose",
    )

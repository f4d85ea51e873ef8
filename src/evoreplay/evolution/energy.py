r"""The energy of a memory example: low where the model has not memorised it.

    U(x) = - l(theta; x, y) - beta < grad_theta l(theta; x, y), g' > + gamma |x - x_raw|^2

with l the cross-entropy of one example and g' the gradient of the mean loss of the raw minibatch,
computed once. Going down U makes an example harder while its parameter gradient stays aligned with
the raw ones; gamma (`proximity`, 0 in the paper) holds it near where it began. The loss is summed
over the minibatch, never averaged: a particle's gradient does not depend on how many there are.

Three implementations of the same dot product:

- `exact`: grad_x < grad_theta l, g' > by a second backward pass.
- `central`: ( grad_x l(theta + e g') - grad_x l(theta - e g') ) / 2e with e = 0.01 / ||g'||.
- `fused`: the forward difference with e = beta, in which the two l(theta) cancel:
      grad_x U = - grad_x l(theta + beta g'; x, y).
  One backward pass to the input per step, no more than without the dot product. Its error is 5 % of
  the term at beta = 0.003 and 39 % at 0.03.

The energy of a layer's features z is the same with the layers above, the head, for the model. Of
theta + beta g' only the head's part acts on z: the layers below do not see it. g' may hold the
gradients of all parameters; those that the head does not have are passed over.

Normalisation layers use the statistics of the batch; nothing in the model changes.

Reference: ICML 2022 paper, Eq. (func).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from evoreplay.errors import require, require_finite
from evoreplay.gradients import named_gradients
from evoreplay.parts import EnergyGradient, LossGradient, Parameters
from evoreplay.traceless import traceless

LARGEST_FUSED_ALIGNMENT = 0.01
CENTRAL_STEP = 0.01


@dataclass(frozen=True, kw_only=True)
class MemoryEnergy:
    """Harder to memorise, with gradients that stay aligned (SPEC of the paper's U)."""

    alignment: float = 0.003
    """Weight of the dot product with the raw minibatch's gradient (the paper's beta); 0 is off."""

    proximity: float = 0.0
    """Weight of the squared distance to the raw example, added to the energy."""

    mode: Literal["fused", "central", "exact"] = "fused"
    """How the dot product is computed: fused (fast), central (accurate) or exact (autograd)."""

    def __post_init__(self) -> None:
        require_finite(self, "alignment", "proximity")
        require(
            self.mode in ("fused", "central", "exact"),
            f"mode is {self.mode!r}; give 'fused', 'central' or 'exact'",
        )
        if self.mode == "fused" and self.alignment > LARGEST_FUSED_ALIGNMENT:
            warnings.warn(
                f"alignment {self.alignment} is large for mode='fused', whose error grows with it "
                "(39 % of the term at 0.03); use mode='central'",
                stacklevel=3,
            )

    def bind(
        self,
        model: nn.Module,
        x_raw: Tensor,
        y: Tensor,
        *,
        reference_gradient: Parameters | None = None,
        loss_gradient: LossGradient | None = None,
    ) -> EnergyGradient:
        """The gradient of U for the labels `y`, at the parameters the model has now.

        `reference_gradient` is g' and `loss_gradient` that of the summed loss at some particles,
        for whoever has them already; otherwise they are computed here.
        """
        theta = {name: p.detach() for name, p in model.named_parameters()}
        if self.alignment > 0:
            if reference_gradient is None:
                reference_gradient = mean_loss_gradient(model, x_raw, y)
            reference_gradient = {n: g for n, g in reference_gradient.items() if n in theta}
        ascent = self._loss_ascent(model, theta, y, reference_gradient)
        known = loss_gradient if self.alignment == 0 else None

        def energy_gradient(x: Tensor) -> Tensor:
            if known is not None and torch.equal(x, known.at):
                gradient = -known.value
            else:
                with traceless(model), torch.enable_grad():
                    gradient = -ascent(x.detach())
            if self.proximity > 0:
                gradient = gradient + 2 * self.proximity * (x.detach() - x_raw)
            return gradient

        return energy_gradient

    def _loss_ascent(
        self, model: nn.Module, theta: Parameters, y: Tensor, direction: Parameters | None
    ) -> EnergyGradient:
        """X to grad_x [ l + beta < grad_theta l, g' > ]."""
        if self.alignment == 0 or not direction:
            return lambda x: input_gradient(model, theta, x, y)
        if self.mode == "fused":
            ahead = moved(theta, direction, self.alignment)
            return lambda x: input_gradient(model, ahead, x, y)
        if self.mode == "exact":
            return lambda x: exact_input_gradient(model, theta, x, y, direction, self.alignment)
        norm = float(torch.stack([g.norm() for g in direction.values()]).norm())
        if norm == 0:
            return lambda x: input_gradient(model, theta, x, y)
        reach = CENTRAL_STEP / norm
        ahead, behind = moved(theta, direction, reach), moved(theta, direction, -reach)

        def with_central_difference(x: Tensor) -> Tensor:
            difference = input_gradient(model, ahead, x, y) - input_gradient(model, behind, x, y)
            return input_gradient(model, theta, x, y) + self.alignment * difference / (2 * reach)

        return with_central_difference

    def state_dict(self) -> dict[str, Any]:
        """Nothing: an energy has no memory."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """The counterpart of `state_dict`."""


def moved(theta: Parameters, direction: Parameters, distance: float) -> dict[str, Tensor]:
    """Theta + distance * direction; a parameter without a direction stays."""
    return {n: p + distance * direction[n] if n in direction else p for n, p in theta.items()}


def input_gradient(model: nn.Module, theta: Parameters, x: Tensor, y: Tensor) -> Tensor:
    """grad_x of the summed loss; no gradient of any parameter is computed."""
    x = x.requires_grad_()
    loss = cross_entropy(functional_call(model, dict(theta), (x,)), y, reduction="sum")
    return torch.autograd.grad(loss, x)[0]


def exact_input_gradient(
    model: nn.Module, theta: Parameters, x: Tensor, y: Tensor, direction: Parameters, weight: float
) -> Tensor:
    """grad_x [ l + weight < grad_theta l, direction > ] by double backward."""
    x = x.requires_grad_()
    theta = {n: p.clone().requires_grad_(n in direction) for n, p in theta.items()}
    loss = cross_entropy(functional_call(model, dict(theta), (x,)), y, reduction="sum")
    names = list(direction)
    gradients = torch.autograd.grad(loss, [theta[n] for n in names], create_graph=True)
    dots = [(g * direction[n]).sum() for n, g in zip(names, gradients, strict=True)]
    return torch.autograd.grad(loss + weight * torch.stack(dots).sum(), x)[0]


def mean_loss_gradient(model: nn.Module, x: Tensor, y: Tensor) -> dict[str, Tensor]:
    """The gradient g' of the mean loss of a minibatch, by name; a head may have no parameters."""
    if not any(p.requires_grad for p in model.parameters()):
        return {}
    with traceless(model), torch.enable_grad():
        return named_gradients(model, cross_entropy(model(x), y))

r"""PGD: projected gradient ascent of the loss inside a ball.

From a random point of the ball B of radius eps around x0, `steps` times

    l_inf:  x <- P(x + step sign(g))        l_2:  x <- P(x + step g / |g|_2)

where g is the gradient of the loss and P projects onto B and onto [0, 1]. An example is fooled, and
stops, at the first iterate that the model gets wrong.

The loss is the cross-entropy in disguise. With s = log sum_{i != y} exp(Z_i) - Z_y the
cross-entropy is log(1 + exp(s)), whose gradient is that of s times a positive number: sign and
direction are those of s. The number is rounded to nothing once the label's logit leads by some tens
and takes the attack's gradient with it; s has no such flat part.

Reference: Madry et al., "Towards Deep Learning Models Resistant to Adversarial Attacks", 2018. On
vanishing cross-entropy: Carlini and Wagner, "Defensive Distillation is Not Robust to Adversarial
Examples", 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from evoreplay.attacks.attack import (
    Attacked,
    checked,
    logits_of,
    misclassified,
    norms,
    others,
    own,
    per_example,
    under_attack,
)
from evoreplay.errors import require, require_finite

TINY = 1e-12


@dataclass(frozen=True, kw_only=True)
class ProjectedGradient:
    """Projected gradient ascent (PGD) in the l_inf or l_2 ball."""

    eps: float = 4 / 255
    """Radius of the ball, in pixels of [0, 1]; 0 leaves the clean accuracy."""
    norm: Literal["linf", "l2"] = "linf"
    """Largest change of a pixel, or Euclidean length of the change."""
    steps: int = 20
    """Gradient steps of each start."""
    step_size: float | None = None
    """Length of a step in that norm; None: 2/255 for linf, 2.5 eps / steps for l2."""
    restarts: int = 1
    """How often those that are not fooled yet begin anew."""
    random_start: bool = True
    """Begin at a random point of the ball; otherwise at the example itself."""

    def __post_init__(self) -> None:
        require_finite(self, "eps")
        require(self.norm in ("linf", "l2"), f"norm is {self.norm!r}; give 'linf' or 'l2'")
        for name, least in (("steps", 0), ("restarts", 1)):
            value = getattr(self, name)
            require(
                isinstance(value, int) and value >= least,
                f"{name} is {value!r}; give a whole number, {least} or more",
            )
        if self.step_size is not None:
            require_finite(self, "step_size")

    @property
    def length(self) -> float:
        """Of a step."""
        if self.step_size is not None:
            return self.step_size
        return 2 / 255 if self.norm == "linf" else 2.5 * self.eps / max(1, self.steps)

    def attack(
        self, model: nn.Module, x: Tensor, y: Tensor, *, generator: torch.Generator
    ) -> Attacked:
        """Fool `model`, which maps pixels in [0, 1] to logits, inside the balls around `x`."""
        x, y = checked(x, y)
        with under_attack(model):
            fooled = misclassified(model, x, y)
            found = x.clone()
            for _ in range(self.restarts if self.eps > 0 else 0):
                left = (~fooled).nonzero().squeeze(1)
                # drawn for all, so that an example's start does not depend on the others' fate
                start = x + self._offset(x, generator) if self.random_start else x
                self._ascend(model, x, y, start, left, found, fooled)
        distance = torch.where(fooled, norms(found - x, self.norm), torch.inf)
        return Attacked(found, fooled, distance)

    def _ascend(
        self,
        model: nn.Module,
        x: Tensor,
        y: Tensor,
        start: Tensor,
        left: Tensor,
        found: Tensor,
        fooled: Tensor,
    ) -> None:
        """One start of the examples `left`; what is found goes into `found` and `fooled`."""
        x, y = x[left], y[left]
        moving = self._projected(start[left], x)
        for step in range(self.steps + 1):
            if len(left) == 0:
                return
            last = step == self.steps
            moving.requires_grad_(not last)
            with torch.set_grad_enabled(not last):
                logits = logits_of(model, moving)
            wrong = logits.argmax(dim=1) != y
            some = bool(wrong.any())
            if some:
                found[left[wrong]], fooled[left[wrong]] = moving.detach()[wrong], True
            if last:
                return
            lead = others(logits, y).logsumexp(dim=1) - own(logits, y)
            (gradient,) = torch.autograd.grad(lead.sum(), moving)
            moving = moving.detach()
            if some:
                left, x, y = left[~wrong], x[~wrong], y[~wrong]
                moving, gradient = moving[~wrong], gradient[~wrong]
            moving = self._projected(moving + self.length * self._direction(gradient), x)

    def _direction(self, gradient: Tensor) -> Tensor:
        """Of steepest ascent in the norm, of length 1; 0 where the gradient is 0."""
        if self.norm == "linf":
            return gradient.sign()
        # the largest entry first: squares of small gradients are rounded to 0
        largest = per_example(norms(gradient, "linf"), gradient)
        gradient = gradient / torch.where(largest > 0, largest, 1)
        return gradient / per_example(norms(gradient, "l2").clamp(min=TINY), gradient)

    def _projected(self, moving: Tensor, x: Tensor) -> Tensor:
        """The nearest point of the ball around `x`, then of [0, 1], which stays in the ball."""
        if self.norm == "linf":
            offset = (moving - x).clamp(-self.eps, self.eps)
        else:
            length = norms(moving - x, "l2").clamp(min=TINY)
            offset = (moving - x) * per_example((self.eps / length).clamp(max=1), x)
        return (x + offset).clamp(0, 1)

    def _offset(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """Uniform in the ball."""
        shape, device = x.shape, generator.device
        if self.norm == "linf":
            drawn = 2 * torch.rand(shape, generator=generator, dtype=x.dtype, device=device) - 1
            return self.eps * drawn.to(x.device)
        drawn = torch.randn(shape, generator=generator, dtype=x.dtype, device=device)
        radius = torch.rand(len(x), generator=generator, dtype=x.dtype, device=device)
        radius = radius ** (1 / max(1, x[0].numel() if len(x) > 0 else 1))
        drawn = drawn * per_example(radius / norms(drawn, "l2").clamp(min=TINY), x)
        return self.eps * drawn.to(x.device)

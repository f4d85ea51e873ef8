r"""C&W: the smallest change, in l_2, that fools a model.

Adam minimises, over w, with pixels x' = (tanh w + 1) / 2 that never leave [0, 1],

    |x' - x|_2^2 + c max(0, Z_y(x') - max_{i != y} Z_i(x') + kappa).

Only differences of logits Z enter, so it does not matter where they lie. A small c keeps x' near
and may not fool the model, a large one does and goes further than it must: c is fixed, or searched,
times 10 until the model is fooled and halving the interval from then on. The nearest x' that fooled
the model, at any step of any search, is the result.

Reference: Carlini and Wagner, "Towards Evaluating the Robustness of Neural Networks", 2017. Theirs
stops a whole batch when its loss no longer falls; here every example stops by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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

INSIDE = 0.999999
"""Pixels are drawn in by so much: the tanh of nothing is 1."""
FALLING = 0.9999
"""A loss falls if it goes below this share of the lowest so far."""
MEAN_DECAY, SQUARE_DECAY, TINY = 0.9, 0.999, 1e-8


class Nearest(NamedTuple):
    """The nearest examples that fool the model."""

    x: Tensor
    distance: Tensor
    """Infinite where there is none."""


@dataclass(frozen=True, kw_only=True)
class CarliniWagner:
    """Carlini and Wagner's l_2 attack."""

    constant: float = 1.0
    """The weight c of fooling the model against staying near; with a search, where it begins."""
    searches: int = 1
    """Values of c that are tried; 1 leaves it fixed."""
    steps: int = 50
    """Adam steps for each c."""
    rate: float = 0.01
    """Learning rate of Adam."""
    confidence: float = 0.0
    """The lead that the wrong class must have (kappa)."""
    patience: int = 100
    """Steps without a lower loss after which an example stops."""

    def __post_init__(self) -> None:
        require_finite(self, "constant", "rate", "confidence")
        require(self.constant > 0, f"constant is {self.constant}; give a number above 0")
        for name in ("searches", "steps", "patience"):
            value = getattr(self, name)
            require(
                isinstance(value, int) and value >= 1,
                f"{name} is {value!r}; give a whole number, 1 or more",
            )

    def attack(
        self, model: nn.Module, x: Tensor, y: Tensor, *, generator: torch.Generator | None = None
    ) -> Attacked:
        """Fool `model`, which maps pixels in [0, 1] to logits, near `x`; nothing is drawn."""
        x, y = checked(x, y)
        with under_attack(model):
            fooled = misclassified(model, x, y)
            right = (~fooled).nonzero().squeeze(1)
            nearest = self._search(model, x[right], y[right])
        found = x.clone()
        found[right], fooled[right] = nearest.x, nearest.distance.isfinite()
        distance = torch.zeros_like(x.flatten(1)[:, :1]).squeeze(1)
        distance[right] = nearest.distance
        return Attacked(found, fooled, distance)

    def _search(self, model: nn.Module, x: Tensor, y: Tensor) -> Nearest:
        """The best over all values of c, each example with its own."""
        best = Nearest(x, x.new_full((len(x),), torch.inf))
        constant = x.new_full((len(x),), self.constant)
        lower, upper = torch.zeros_like(constant), torch.full_like(constant, torch.inf)
        for _ in range(self.searches):
            found = self._descend(model, x, y, constant)
            nearer = found.distance < best.distance
            best = Nearest(
                torch.where(per_example(nearer, x), found.x, best.x),
                torch.where(nearer, found.distance, best.distance),
            )
            success = found.distance.isfinite()
            upper = torch.where(success, constant, upper)
            lower = torch.where(success, lower, constant)
            constant = torch.where(upper.isfinite(), (lower + upper) / 2, 10 * constant)
        return best

    def _descend(self, model: nn.Module, x: Tensor, y: Tensor, constant: Tensor) -> Nearest:
        """Adam at these c; an example whose loss no longer falls leaves the batch."""
        best = Nearest(x.clone(), x.new_full((len(x),), torch.inf))
        left = torch.arange(len(x), device=x.device)
        w = (INSIDE * (2 * x - 1)).atanh()
        mean, square = torch.zeros_like(w), torch.zeros_like(w)
        lowest, waited = torch.full_like(constant, torch.inf), torch.zeros_like(left)
        for step in range(1, self.steps + 1):
            if len(left) == 0:
                break
            w.requires_grad_()
            pixels = (w.tanh() + 1) / 2
            logits = logits_of(model, pixels)
            lead = own(logits, y) - others(logits, y).max(dim=1).values + self.confidence
            loss = (pixels - x).square().flatten(1).sum(dim=1) + constant * lead.clamp(min=0)
            (gradient,) = torch.autograd.grad(loss.sum(), w)
            w, pixels, loss = w.detach(), pixels.detach(), loss.detach()

            distance = norms(pixels - x, "l2")
            required = logits.detach().scatter_add(
                1, y[:, None], logits.new_full((len(y), 1), self.confidence)
            )
            nearer = (required.argmax(dim=1) != y) & (distance < best.distance[left])
            best.x[left[nearer]], best.distance[left[nearer]] = pixels[nearer], distance[nearer]

            mean = MEAN_DECAY * mean + (1 - MEAN_DECAY) * gradient
            square = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * gradient.square()
            scale = (square / (1 - SQUARE_DECAY**step)).sqrt() + TINY
            w = w - self.rate * mean / (1 - MEAN_DECAY**step) / scale

            falling = loss < FALLING * lowest
            lowest = torch.where(falling, loss, lowest)
            waited = torch.where(falling, 0, waited + 1)
            stays = waited < self.patience
            if not bool(stays.all()):
                left, x, y, constant = left[stays], x[stays], y[stays], constant[stays]
                w, mean, square = w[stays], mean[stays], square[stays]
                lowest, waited = lowest[stays], waited[stays]
        return best

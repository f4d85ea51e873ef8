"""Random search: an attack without gradients, to see whether those of another are masked.

It walks over corners of the l_inf ball, x0 + eps {-1, 1}^d: some random pixels change sides, and
the change is kept if the model's lead shrinks. A model on which this does better than PGD hides its
gradients rather than resists.

Reference: Athalye, Carlini and Wagner, "Obfuscated Gradients Give a False Sense of Security", 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, kw_only=True)
class RandomSearch:
    """Random corners of the l_inf ball, kept when they are worse for the model."""

    eps: float = 4 / 255
    """Radius of the ball, in pixels of [0, 1]."""
    tries: int = 100
    """Corners that each example may look at."""
    share: float = 0.1
    """Of the pixels that change sides in one try."""

    def __post_init__(self) -> None:
        require_finite(self, "eps", "share")
        require(0 < self.share <= 1, f"share is {self.share}; give a number in (0, 1]")
        require(
            isinstance(self.tries, int) and self.tries >= 0,
            f"tries is {self.tries!r}; give a whole number, 0 or more",
        )

    def attack(
        self, model: nn.Module, x: Tensor, y: Tensor, *, generator: torch.Generator
    ) -> Attacked:
        """Fool `model`, which maps pixels in [0, 1] to logits, by trial."""
        x, y = checked(x, y)
        found = x.clone()
        with under_attack(model), torch.no_grad():
            fooled = misclassified(model, x, y)
            side = (self._drawn(x, generator) < 0.5).to(x.dtype) * 2 - 1
            best = x.new_full((len(x),), torch.inf)
            for number in range(self.tries if self.eps > 0 else 0):
                changes = (self._drawn(x, generator) < self.share) if number > 0 else None
                left = (~fooled).nonzero().squeeze(1)
                if len(left) == 0:
                    break
                proposed = side[left]
                if changes is not None:
                    proposed = torch.where(changes[left], -proposed, proposed)
                corner = (x[left] + self.eps * proposed).clamp(0, 1)
                logits = logits_of(model, corner)
                wrong = logits.argmax(dim=1) != y[left]
                found[left[wrong]], fooled[left[wrong]] = corner[wrong], True
                lead = own(logits, y[left]) - others(logits, y[left]).max(dim=1).values
                worse = lead.to(best.dtype) < best[left]
                side[left] = torch.where(per_example(worse, x), proposed, side[left])
                best[left] = torch.where(worse, lead.to(best.dtype), best[left])
        distance = torch.where(fooled, norms(found - x, "linf"), torch.inf)
        return Attacked(found, fooled, distance)

    def _drawn(self, x: Tensor, generator: torch.Generator) -> Tensor:
        return torch.rand(x.shape, generator=generator, device=generator.device).to(x.device)

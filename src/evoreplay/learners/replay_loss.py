r"""The replay part of the loss: which examples its terms are of, and what each term weighs.

    raw_weight mean CE(raw replay) + evolved_weight mean CE(evolved replay)

Companions are replayed beside what evolves, and the loss of the two is the mean over both: each
kind has half of evolved_weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from evoreplay.learners.passes import Term
from evoreplay.parts import Batch


@dataclass(frozen=True)
class ReplayLoss:
    """The two weights, and whether there is a flow."""

    raw_weight: float
    evolved_weight: float
    evolves: bool

    def weights(self, batch: Batch | None) -> dict[str, float]:
        """Of the raw and the evolved loss; companions have half of what evolves beside them."""
        if batch is None or batch.companions is None or not self.evolves:
            return {"raw": self.raw_weight, "evolved": self.evolved_weight}
        half = self.evolved_weight / 2
        return {"raw": self.raw_weight + half, "evolved": half}

    def raw_term(self, batch: Batch) -> Term:
        """The raw examples: companions of what evolves, if there are any; without a flow, all."""
        weight = self.weights(batch)["raw"]
        inputs, labels, shift = batch.inputs, batch.labels, batch.shift
        if batch.companions is None:
            return Term(weight, inputs, labels, shift)
        if self.evolves:
            return Term(weight, batch.companions, labels, shift)
        both = None if shift is None else torch.cat([shift, shift])
        inputs = torch.cat([batch.companions, inputs])
        return Term(weight, inputs, torch.cat([labels, labels]), both)

"""The pass over a minibatch before it evolves, which serves all its ends at once.

These are its loss, the gradient g' of the energy or, without the dot product, the gradient that the
first evolution step asks for, the features of a split model, and BatchNorm's running statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from evoreplay.gradients import named_gradients
from evoreplay.learners.evolving import Evolving
from evoreplay.learners.passes import Passes, RawPass, Term
from evoreplay.parts import Batch
from evoreplay.traceless import batch_statistics_only, traceless


@dataclass(frozen=True)
class RawPasses:
    """What a learner passes before anything moves."""

    passes: Passes
    evolving: Evolving | None
    """None without a flow."""
    statistics: Literal["raw", "all"]
    """Which forwards BatchNorm's running statistics see."""

    def learned(self, batch: Batch, term: Term) -> RawPass:
        """As much of a pass as its uses need; what has a weight is added to the `grad` fields.

        `term` is the unevolved part of `batch`.
        """
        weight, evolving, model = term.weight, self.evolving, self.passes.model
        if evolving is not None and evolving.needs_reference_gradient:
            # a pass for g' alone is no training pass: the noise control has none
            spared = weight == 0 and self.statistics == "all"
            with batch_statistics_only(model) if spared else nullcontext():
                loss, lifted = self.passes.raw(term, full_precision=True)
            gradient = named_gradients(model, loss)
            if weight > 0:
                accumulate(model, gradient, weight)
            known = RawPass(loss.detach(), gradient, lifted=lifted)
        elif weight == 0 and self.statistics == "all":
            return RawPass()
        elif evolving is not None and evolving.begins_at(batch):
            return self.passes.raw_to_particles(term, to_inputs=evolving.input_rate > 0)
        else:
            with torch.set_grad_enabled(weight > 0):
                loss, lifted = self.passes.raw(term)
            if weight > 0:
                (weight * loss).backward()
            known = RawPass(loss.detach(), lifted=lifted)
        # companions are not what evolves
        return known if batch.companions is None else known._replace(lifted=None)

    def reference(self, term: Term) -> RawPass:
        """The energy's g' alone, if it is needed, by a pass of its own that leaves no trace."""
        if self.evolving is None or not self.evolving.needs_reference_gradient:
            return RawPass()
        model = self.passes.model
        with traceless(model):
            loss, _ = self.passes.raw(term, full_precision=True)
            return RawPass(gradient=named_gradients(model, loss))


def accumulate(model: nn.Module, gradients: Mapping[str, Tensor], weight: float) -> None:
    """Add gradients by name to the `grad` fields."""
    for name, parameter in model.named_parameters():
        if name in gradients:
            # strides of the parameter: a fused optimizer takes for granted that they are the same
            before = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            parameter.grad = before + weight * gradients[name]

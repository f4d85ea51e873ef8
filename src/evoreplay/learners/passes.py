"""Passes of replayed examples through a model, whole or split into lift and head."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from evoreplay.learners.context import require_movable
from evoreplay.models.split import Split, shifted
from evoreplay.parts import Batch, LossGradient


class Term(NamedTuple):
    """One part of the loss: a mean cross-entropy and its weight."""

    weight: float
    inputs: Tensor
    labels: Tensor
    shift: Tensor | None = None
    """Of the inputs' features, if the model is split."""


def term_of(batch: Batch, weight: float = 1.0) -> Term:
    """A minibatch where it is now, as part of the loss."""
    return Term(weight, batch.inputs, batch.labels, batch.shift)


class RawPass(NamedTuple):
    """What the pass over the unevolved minibatch gave."""

    loss: Tensor | None = None
    gradient: dict[str, Tensor] | None = None
    """Of the parameters: the energy's g'."""
    ascent: LossGradient | None = None
    """Of what evolves: what the first evolution step asks for."""
    lifted: Tensor | None = None
    """lift(x) of the minibatch, if the model is split."""
    input_ascent: Tensor | None = None
    """Of the inputs, up to a factor, if the model is split and the pass went so far."""


@dataclass(frozen=True)
class Passes:
    """The forward passes of a learner."""

    model: nn.Module
    space: Split | None
    autocast: Callable[[bool], AbstractContextManager[None]]
    """In the precision of training (True), or in full precision."""

    def logits(self, *terms: Term) -> Tensor:
        """One pass of all of them, each with its shift."""
        inputs = torch.cat([term.inputs for term in terms])
        logits: Tensor
        if self.space is None or all(term.shift is None for term in terms):
            logits = self.model(inputs)
        else:
            parts = self.space.lift(inputs).split([len(term.inputs) for term in terms])
            moved = [shifted(part, term.shift) for part, term in zip(parts, terms, strict=True)]
            logits = self.space.head_of(inputs)(torch.cat(moved))
        return logits

    def loss_of(self, batch: Batch) -> Tensor:
        """Mean cross-entropy of a minibatch where it is now."""
        with self.autocast(True):
            logits = self.logits(term_of(batch))
        return cross_entropy(logits.float(), batch.labels)

    def raw(self, term: Term, *, full_precision: bool = False) -> tuple[Tensor, Tensor | None]:
        """The loss and, if the model is split, lift(x)."""
        lifted = None
        with self.autocast(not full_precision):
            if self.space is None:
                logits = self.model(term.inputs)
            else:
                lifted = self.space.lift(term.inputs)
                logits = self.space.head_of(term.inputs)(shifted(lifted, term.shift))
                lifted = lifted.detach()
        return cross_entropy(logits.float(), term.labels), lifted

    def raw_to_particles(self, term: Term, *, to_inputs: bool = False) -> RawPass:
        """The same pass, carried on to what evolves: the first evolution step needs no other.

        With a weight it is a training pass, too, and may go on to the inputs of a split model.
        """
        weight, lifted, inputs = term.weight, None, term.inputs
        if to_inputs and weight > 0:
            require_movable(inputs)
            inputs = inputs.detach().requires_grad_()
        with self.autocast(True):
            if self.space is None:
                require_movable(term.inputs)
                particles = term.inputs.detach().requires_grad_()
                logits = self.model(particles)
            else:
                with torch.set_grad_enabled(weight > 0):
                    lifted = self.space.lift(inputs)
                particles = shifted(lifted, term.shift)
                if particles.requires_grad:
                    particles.retain_grad()
                else:
                    particles = particles.detach().requires_grad_()
                logits = self.space.head_of(term.inputs)(particles)
                lifted = lifted.detach()
        loss = cross_entropy(logits.float(), term.labels)
        if weight > 0:
            (weight * loss).backward()
            assert particles.grad is not None
            gradient = particles.grad / weight
        else:
            (gradient,) = torch.autograd.grad(loss, particles)
        # the energy sums the losses, the step takes their mean
        ascent = LossGradient(particles.detach(), gradient * len(particles))
        return RawPass(loss.detach(), ascent=ascent, lifted=lifted, input_ascent=inputs.grad)

r"""The evolution of one minibatch, in the space where it takes place.

Where the input itself evolves, the flow starts at the inputs and what it makes of them is replayed.
Where the model is split into z = lift(x) and logits = head(z), it starts at z_0 = lift(x) + delta,
delta being what was written to the examples before, and ends at z_T. What is replayed is

    head( lift(x) + shift ),       shift = delta + z_T - z_0, a constant,

so the gradient of the loss reaches the lift, and all that is kept is the shift. The energy is that
of the head; its normalisation layers are the only ones that run while z moves.

With an `input_rate` the input takes one step beside, up its own loss: what is replayed is then

    head( lift(x + input_rate g / RMS(g)) + shift ),       g = grad_x l(theta; x, y),

for each example, with g from the raw minibatch; for noise g is a standard normal variable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from evoreplay.errors import require
from evoreplay.evolution import Flow, MemoryEnergy
from evoreplay.evolution.flow import gaussian, normalised, root_mean_square
from evoreplay.learners.context import require_movable
from evoreplay.learners.passes import RawPass
from evoreplay.models.split import Split, renamed, shifted
from evoreplay.parts import Batch, Energy, EnergyGradient, Evolution, alignment_of
from evoreplay.traceless import traceless


@dataclass(frozen=True)
class Evolving:
    """A flow on an energy of a model, in one space."""

    model: nn.Module
    space: Split | None
    """None: the input itself evolves."""
    flow: Evolution
    energy: Energy
    input_rate: float = 0.0
    """RMS of the step that the inputs take beside, where features evolve."""

    def __post_init__(self) -> None:
        require(
            0 <= self.input_rate < float("inf"),
            f"input_rate is {self.input_rate!r}; give 0 or more",
        )
        require(
            self.input_rate == 0 or self.space is not None,
            f"input_rate is {self.input_rate}, a step of the input beside those on a layer, but "
            "the input itself evolves; name a layer (space), or leave out input_rate",
        )

    @property
    def needs_reference_gradient(self) -> bool:
        """Whether somebody has to compute g'."""
        return self.flow.uses_energy and alignment_of(self.energy) > 0

    def begins_at(self, batch: Batch) -> bool:
        """Whether the first step asks for the loss gradient of the raw minibatch."""
        # an energy of the user's own need not know of this shortcut
        known = type(self.energy) is MemoryEnergy
        return self.flow.uses_energy and batch.companions is None and known

    def evolved(self, batch: Batch, known: RawPass, generator: torch.Generator) -> Batch:
        """The minibatch after the flow; the model is left exactly as it is."""
        if self.space is None:
            require_movable(batch.inputs)
            field = self._field(self.model, batch.anchors, batch.labels, known)
            inputs = self.flow.evolve(batch.inputs, field, generator=generator)
            return replace(batch, inputs=inputs)
        lifted = self.lifted(batch) if known.lifted is None else known.lifted
        lifted = lifted.to(torch.promote_types(lifted.dtype, torch.float32))
        start = shifted(lifted, batch.shift)
        field = self._field(self.space.head_of(batch.inputs), lifted, batch.labels, known)
        evolve = self.flow.evolve
        if isinstance(self.flow, Flow) and self.flow.step == "normalised":
            evolve = partial(self.flow.evolve, unit=root_mean_square(start))
        moved = evolve(start, field, generator=generator) - start
        inputs = self._stepped_inputs(batch, known, generator) if self.input_rate else batch.inputs
        return replace(batch, inputs=inputs, shift=shifted(moved, batch.shift))

    def _stepped_inputs(self, batch: Batch, known: RawPass, generator: torch.Generator) -> Tensor:
        """X + input_rate g / RMS(g)."""
        x = batch.inputs
        require_movable(x)
        if not self.flow.uses_energy:
            return x + self.input_rate * gaussian(x, generator)
        ascent = self._input_ascent(batch) if known.input_ascent is None else known.input_ascent
        return x + self.input_rate * normalised(lambda _: ascent)(x)

    def _input_ascent(self, batch: Batch) -> Tensor:
        """grad_x of the summed loss, by a pass of its own that leaves no trace."""
        assert self.space is not None
        with traceless(self.model), torch.enable_grad():
            x = batch.inputs.detach().requires_grad_()
            logits = self.space.head_of(x)(shifted(self.space.lift(x), batch.shift))
            loss = cross_entropy(logits.float(), batch.labels, reduction="sum")
            return torch.autograd.grad(loss, x)[0]

    def lifted(self, batch: Batch) -> Tensor:
        """lift(x), by a pass of its own that leaves no trace."""
        assert self.space is not None
        with traceless(self.model), torch.no_grad():
            lifted: Tensor = self.space.lift(batch.inputs)
        return lifted

    def _field(
        self, model: nn.Module, raw: Tensor, labels: Tensor, known: RawPass
    ) -> EnergyGradient:
        if not self.flow.uses_energy:
            return torch.zeros_like
        bind, gradient = self.energy.bind, known.gradient
        if known.ascent is not None and isinstance(self.energy, MemoryEnergy):
            bind = partial(bind, loss_gradient=known.ascent)
        if gradient is None or not self.needs_reference_gradient:
            return bind(model, raw, labels)
        if model is not self.model:
            gradient = renamed(gradient, self.model, model)
        return bind(model, raw, labels, reference_gradient=gradient)


def stream_minibatch(inputs: Tensor, labels: Tensor) -> Batch:
    """The incoming batch as one that evolves; it has no slots in memory."""
    nowhere = labels.new_empty(0)
    return Batch(inputs, labels, nowhere, anchors=inputs, writes=nowhere)


def displacement(batch: Batch, evolved: Batch) -> Tensor:
    """How far evolution has moved each example, in the space where it does."""
    if evolved.shift is None:
        return evolved.inputs - batch.inputs
    return evolved.shift if batch.shift is None else evolved.shift - batch.shift


def written(evolved: Batch) -> Tensor:
    """The evolved examples as deltas to those that came in the stream."""
    return evolved.inputs - evolved.anchors if evolved.shift is None else evolved.shift

r"""Replay with an evolving memory: Algorithm 1 of the ICML 2022 paper.

For each incoming batch (x_k, y_k):

1. retrieve a minibatch from memory and transform it;
2. evolve it by a flow on an energy;
3. one optimiser step on
       mean CE(stream) + raw_weight mean CE(raw replay) + evolved_weight mean CE(evolved replay);
4. offer (x_k, y_k) to the memory.

A sum of means, each from a forward pass of its own: BatchNorm sees stream and replay apart. The raw
pass serves all its ends at once: its loss, the gradient g' of the energy or, without the dot
product, the gradient that the first evolution step asks for, and, with `statistics="raw"`, the
running statistics. Evolved examples never touch those, because the network is evaluated on clean
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, cross_entropy

from evoreplay.errors import require, unknown
from evoreplay.evolution import MemoryEnergy
from evoreplay.gradients import named_gradients
from evoreplay.learners.context import StepContext, StreamStep
from evoreplay.learners.learner import Learner, Precision
from evoreplay.learners.step import Outcome, Step, step_report
from evoreplay.parts import (
    Batch,
    Energy,
    EnergyGradient,
    Evolution,
    LossGradient,
    Memory,
    Prepare,
    Retrieval,
    Transform,
)
from evoreplay.retrieval import UniformRetrieval
from evoreplay.traceless import batch_statistics_only, traceless
from evoreplay.transforms import Augmentation

RECIPES: dict[str, tuple[float, float]] = {"paper": (0.0, 1.0), "reference": (1.0, 1.0)}
"""The weights of raw and evolved replay when there is a flow; without one raw has weight 1."""


class RawPass(NamedTuple):
    """What the pass over the unevolved minibatch gave."""

    loss: Tensor | None = None
    gradient: dict[str, Tensor] | None = None
    """Of the parameters: the energy's g'."""
    ascent: LossGradient | None = None
    """Of the inputs: what the first evolution step asks for."""


class ReplayLearner(Learner):
    """Experience replay whose replayed minibatches evolve; every part can be exchanged.

    Parameters
    ----------
    model, optimizer
        Any `nn.Module` that maps a batch to logits, and a torch optimiser over its parameters.
    memory, retrieval, transforms, evolution, energy
        The parts. Without `evolution` this is plain experience replay (ER).
    recipe
        `paper`: replay evolved examples only; `reference`: raw and evolved. `raw_weight` and
        `evolved_weight` overrule it.
    statistics
        `raw`: BatchNorm's running statistics see the stream and the raw replay batch only; `all`:
        every training forward.
    forward
        `separate` forward passes of stream and replay, or one `joint` pass of all.
    write_back
        Keep evolved examples in memory, as a delta to the raw ones.
    extra_statistics
        So many more forward passes of the raw replay batch, for BatchNorm alone (a control).
    measure_alignment
        Report the cosine of evolved and raw parameter gradients in each `Step`; costs two passes.
    prepare, seed, updates, precision
        Input as stored to input of the model; seed of all the learner's generators; optimiser steps
        for each incoming batch; `float32` or `bfloat16` training passes.
    """

    generator_names: ClassVar[tuple[str, ...]] = ("memory", "retrieval", "transform", "evolution")
    part_names: ClassVar[tuple[str, ...]] = (
        "memory",
        "retrieval",
        "transforms",
        "evolution",
        "energy",
    )
    option_names: ClassVar[tuple[str, ...]] = (
        *Learner.option_names,
        "raw_weight",
        "evolved_weight",
        "statistics",
        "forward",
        "write_back",
        "extra_statistics",
        "measure_alignment",
    )

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        memory: Memory,
        retrieval: Retrieval | None = None,
        transforms: Sequence[Transform] = (),
        evolution: Evolution | None = None,
        energy: Energy | None = None,
        recipe: str = "paper",
        raw_weight: float | None = None,
        evolved_weight: float | None = None,
        statistics: Literal["raw", "all"] = "raw",
        forward: Literal["separate", "joint"] = "separate",
        write_back: bool = False,
        extra_statistics: int = 0,
        measure_alignment: bool = False,
        prepare: Prepare | None = None,
        seed: int = 0,
        updates: int = 1,
        precision: Precision = "float32",
    ) -> None:
        super().__init__(
            model, optimizer, prepare=prepare, seed=seed, updates=updates, precision=precision
        )
        if recipe not in RECIPES:
            raise unknown("recipe", recipe, RECIPES)
        for name, value in (("raw_weight", raw_weight), ("evolved_weight", evolved_weight)):
            require(value is None or value >= 0, f"{name} is {value!r}; give 0 or more")
        require(statistics in ("raw", "all"), f"statistics is {statistics!r}; give 'raw' or 'all'")
        require(
            forward in ("separate", "joint"),
            f"forward is {forward!r}; give 'separate' or 'joint'",
        )
        require(
            not (write_back and any(isinstance(t, Augmentation) for t in transforms)),
            "write_back keeps evolved examples, but augmented copies have no slot of their own; "
            "leave out write_back or the augmentation",
        )
        default_raw, default_evolved = RECIPES[recipe] if evolution is not None else (1.0, 0.0)
        self.raw_weight = default_raw if raw_weight is None else raw_weight
        self.evolved_weight = default_evolved if evolved_weight is None else evolved_weight
        self.memory = memory
        self.retrieval: Retrieval = retrieval or UniformRetrieval(10)
        self.transforms = tuple(transforms)
        self.evolution = evolution
        self.energy: Energy = energy or MemoryEnergy()
        self.statistics = statistics
        self.forward = forward
        self.write_back = write_back
        self.extra_statistics = extra_statistics
        self.measure_alignment = measure_alignment

    def _learn(self, x: Tensor, y: Tensor) -> Step:
        inputs, labels = self._prepared(x), y.to(self.device)
        update = self._separate_update if self.forward == "separate" else self._joint_update
        trainable = self._trainable(inputs)
        if not trainable:
            inputs, labels = inputs[:0], labels[:0]
        for number in range(self.updates):
            self.optimizer.zero_grad(set_to_none=True)
            step = update(inputs, labels, number == 0)
        stream = StreamStep(self.model, self.optimizer, inputs, labels)
        with self.watch("memory"):
            self.memory.add(x, y, self._context(stream).with_generator(self.generators["memory"]))
        return step

    def _separate_update(self, inputs: Tensor, labels: Tensor, first: bool) -> Step:
        losses: dict[str, Tensor] = {}
        gradient: dict[str, Tensor] = {}
        if len(inputs) > 0:
            with self.watch("stream"):
                losses["stream"] = self._loss(inputs, labels)
                losses["stream"].backward()
                named = self.model.named_parameters()
                gradient = {name: p.grad for name, p in named if p.grad is not None}
        stream = StreamStep(self.model, self.optimizer, inputs, labels, gradient)
        with self.watch("retrieval"):
            batch = self._replayed(self._context(stream, first))
        outcome = Outcome()
        if batch is not None:
            with self.watch("update" if self.evolution is None else "evolution"):
                raw = self._raw_pass(batch)
            if raw.loss is not None:
                losses["raw"] = raw.loss
            if self.evolution is not None:
                with self.watch("evolution"):
                    evolved = self._evolve(batch, self.evolution, raw)
                clean = self.statistics == "raw"
                with self.watch("update"):
                    with batch_statistics_only(self.model) if clean else nullcontext():
                        losses["evolved"] = self._loss(evolved.inputs, evolved.labels)
                    (self._weights(batch)["evolved"] * losses["evolved"]).backward()
                outcome = self._finished(batch, evolved)
        if losses:
            with self.watch("update"):
                self._step_optimizer(losses)
        return step_report(losses, self._weights(batch), outcome)

    def _raw_pass(self, batch: Batch) -> RawPass:
        """The unevolved minibatch: as much of a pass as its three uses need."""
        inputs, labels = self._unevolved(batch)
        weight = self._weights(batch)["raw"]
        self._update_statistics(inputs)
        if self._needs_reference_gradient():
            # a pass for g' alone is no training pass: the noise control has none
            spared = weight == 0 and self.statistics == "all"
            with batch_statistics_only(self.model) if spared else nullcontext():
                loss = self._loss(inputs, labels, full_precision=True)
            gradient = named_gradients(self.model, loss)
            if weight > 0:
                self._accumulate(gradient, weight)
            return RawPass(loss.detach(), gradient)
        if weight == 0 and self.statistics == "all":
            return RawPass()
        if self._evolves_from(batch):
            return self._raw_pass_to_inputs(inputs.detach().requires_grad_(), labels, weight)
        with torch.set_grad_enabled(weight > 0):
            loss = self._loss(inputs, labels)
        if weight > 0:
            (weight * loss).backward()
        return RawPass(loss.detach())

    def _raw_pass_to_inputs(self, inputs: Tensor, labels: Tensor, weight: float) -> RawPass:
        """The same pass, carried on to the inputs: the first evolution step needs no other."""
        loss = self._loss(inputs, labels)
        if weight > 0:
            (weight * loss).backward()
            assert inputs.grad is not None
            gradient = inputs.grad / weight
        else:
            (gradient,) = torch.autograd.grad(loss, inputs)
        # the energy sums the losses, the step takes their mean
        return RawPass(loss.detach(), ascent=LossGradient(inputs.detach(), gradient * len(inputs)))

    def _evolves_from(self, batch: Batch) -> bool:
        """Whether the first evolution step asks for the loss gradient of the raw minibatch."""
        flow = self.evolution
        return (
            flow is not None
            and flow.uses_energy
            and batch.companions is None
            # an energy of the user's own need not know of this shortcut
            and type(self.energy) is MemoryEnergy
        )

    def _update_statistics(self, inputs: Tensor) -> None:
        """The control's extra forwards, which only BatchNorm notices."""
        for _ in range(self.extra_statistics):
            with torch.no_grad(), self._autocast():
                self.model(inputs)

    def _unevolved(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The raw examples: companions of what evolves, if there are any; without a flow, all."""
        if batch.companions is None:
            return batch.inputs, batch.labels
        if self.evolution is not None:
            return batch.companions, batch.labels
        labels = torch.cat([batch.labels, batch.labels])
        return torch.cat([batch.companions, batch.inputs]), labels

    def _weights(self, batch: Batch | None) -> dict[str, float]:
        """Of the raw and the evolved loss; companions have half of what evolves beside them."""
        if batch is None or batch.companions is None or self.evolution is None:
            return {"raw": self.raw_weight, "evolved": self.evolved_weight}
        half = self.evolved_weight / 2
        return {"raw": self.raw_weight + half, "evolved": half}

    def _joint_update(self, inputs: Tensor, labels: Tensor, first: bool) -> Step:
        """One forward of stream, raw and evolved together; BatchNorm sees them as one batch."""
        terms = {"stream": (1.0, inputs, labels)} if len(inputs) > 0 else {}
        stream = StreamStep(self.model, self.optimizer, inputs, labels)
        with self.watch("retrieval"):
            batch = self._replayed(self._context(stream, first))
        outcome = Outcome()
        weights = self._weights(batch)
        if batch is not None:
            raw = self._unevolved(batch)
            terms["raw"] = (weights["raw"], *raw)
            self._update_statistics(raw[0])
            if self.evolution is not None:
                with self.watch("evolution"):
                    known = RawPass(gradient=self._reference_gradient(*raw))
                    evolved = self._evolve(batch, self.evolution, known)
                terms["evolved"] = (weights["evolved"], evolved.inputs, evolved.labels)
                outcome = self._finished(batch, evolved)
        clean = self.statistics == "raw" and "evolved" in terms
        if clean:
            seen = torch.cat([terms[n][1] for n in ("stream", "raw") if n in terms])
            with torch.no_grad(), self._autocast():
                self.model(seen)
        terms = {name: term for name, term in terms.items() if term[0] > 0}
        if not terms:
            return Step(stream_loss=None)
        with self.watch("update"):
            losses = self._joint_pass(terms, clean)
        return step_report(losses, weights, outcome)

    def _joint_pass(
        self, terms: dict[str, tuple[float, Tensor, Tensor]], clean: bool
    ) -> dict[str, Tensor]:
        with batch_statistics_only(self.model) if clean else nullcontext(), self._autocast():
            logits = self.model(torch.cat([x for _, x, _ in terms.values()])).float()
        parts = logits.split([len(x) for _, x, _ in terms.values()])
        losses = {
            name: cross_entropy(part, y)
            for part, (name, (_, _, y)) in zip(parts, terms.items(), strict=True)
        }
        torch.stack([terms[name][0] * loss for name, loss in losses.items()]).sum().backward()
        self._step_optimizer(losses)
        return losses

    def _replayed(self, context: StepContext) -> Batch | None:
        """A minibatch from memory, in the units of the model, after the transforms."""
        if len(self.memory) == 0:
            return None
        retrieving = context.with_generator(self.generators["retrieval"])
        indices = self.retrieval.select(self.memory, retrieving)
        batch = context.examples(indices)
        if not self._trainable(batch.inputs):
            return None
        for transform in self.transforms:
            transforming = context.with_generator(self.generators["transform"])
            batch = transform.apply(batch, transforming)
        return batch

    def _evolve(self, batch: Batch, flow: Evolution, known: RawPass) -> Batch:
        """The minibatch after the flow; the model is left exactly as it is."""
        generator = self.generators["evolution"]
        with self._autocast(enabled=self.energy.alignment == 0):
            field: EnergyGradient = no_energy
            if flow.uses_energy:
                bind = self.energy.bind
                if known.ascent is not None and isinstance(self.energy, MemoryEnergy):
                    bind = partial(self.energy.bind, loss_gradient=known.ascent)
                field = bind(
                    self.model, batch.anchors, batch.labels, reference_gradient=known.gradient
                )
            return replace(batch, inputs=flow.evolve(batch.inputs, field, generator=generator))

    def _finished(self, batch: Batch, evolved: Batch) -> Outcome:
        """Write back if asked to, and measure what evolution did."""
        if self.write_back:
            # what a transform wrote in this step has aged the example already
            delta, counted = evolved.inputs - batch.anchors, not self.transforms
            self.memory.write(batch.indices, delta, counted=counted)
        moved = float((evolved.inputs - batch.inputs).square().mean().sqrt())
        aligned = self._alignment(batch, evolved) if self.measure_alignment else None
        return Outcome(moved, aligned)

    def _alignment(self, batch: Batch, evolved: Batch) -> float:
        with traceless(self.model):
            gradients = [
                named_gradients(self.model, self._loss(b.inputs, b.labels))
                for b in (batch, evolved)
            ]
        raw, moved = (torch.cat([g.flatten() for g in part.values()]) for part in gradients)
        return float(cosine_similarity(raw, moved, dim=0))

    def _needs_reference_gradient(self) -> bool:
        flow = self.evolution
        return flow is not None and flow.uses_energy and self.energy.alignment > 0

    def _reference_gradient(self, inputs: Tensor, labels: Tensor) -> dict[str, Tensor] | None:
        """The energy's g', by a pass of its own that leaves no trace."""
        if not self._needs_reference_gradient():
            return None
        with traceless(self.model):
            return named_gradients(self.model, self._loss(inputs, labels, full_precision=True))

    def _accumulate(self, gradients: dict[str, Tensor], weight: float) -> None:
        """Add gradients by name to the `grad` fields."""
        for name, parameter in self.model.named_parameters():
            if name in gradients:
                weighted = weight * gradients[name]
                parameter.grad = weighted if parameter.grad is None else parameter.grad + weighted

    def _context(self, stream: StreamStep, first: bool = True) -> StepContext:
        generator = self.generators["retrieval"]
        return StepContext(self.model, self.prepare, self.memory, stream, generator, first)


def no_energy(x: Tensor) -> Tensor:
    """The energy of flows that never ask for one: flat."""
    return torch.zeros_like(x)

r"""Replay with an evolving memory: Algorithm 1 of the ICML 2022 paper.

For each incoming batch (x_k, y_k):

1. retrieve a minibatch from memory and transform it;
2. evolve it by a flow on an energy;
3. one optimiser step on
       mean CE(stream) + raw_weight mean CE(raw replay) + evolved_weight mean CE(evolved replay);
4. offer (x_k, y_k) to the memory.

Algorithm 1 has the weights 0 and 1 (`recipe="paper"`); the default, `reference`, has 1 and 1.

With `evolve_stream` the incoming batch evolves, too, as a minibatch of its own, and the loss has
one more term: evolved_weight mean CE(evolved stream). What is offered to the memory stays raw.

A sum of means, each from a forward pass of its own: BatchNorm sees stream and replay apart. The raw
pass serves all its ends at once: its loss, the gradient g' of the energy or, without the dot
product, the gradient that the first evolution step asks for, and, with `statistics="raw"`, the
running statistics. Evolved examples never touch those, because the network is evaluated on clean
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, cross_entropy

from evoreplay.errors import require
from evoreplay.evolution import MemoryEnergy
from evoreplay.gradients import named_gradients
from evoreplay.learners.context import StepContext, StreamStep
from evoreplay.learners.evolving import Evolving, displacement, stream_minibatch, written
from evoreplay.learners.learner import Learner, Precision
from evoreplay.learners.passes import Passes, RawPass, Term, term_of
from evoreplay.learners.raw_passes import RawPasses
from evoreplay.learners.replay_loss import ReplayLoss
from evoreplay.learners.replay_weights import replay_weights
from evoreplay.learners.step import Outcome, Step, step_report
from evoreplay.models.split import OWN, Split, split_at
from evoreplay.parts import (
    Batch,
    Energy,
    Evolution,
    Memory,
    Prepare,
    Retrieval,
    State,
    Transform,
    alignment_of,
)
from evoreplay.retrieval import UniformRetrieval
from evoreplay.traceless import batch_statistics_only, traceless
from evoreplay.transforms import Augmentation


class ReplayLearner(Learner):
    """Experience replay whose replayed minibatches evolve; every part can be exchanged.

    Parameters
    ----------
    model
        Any `nn.Module` that maps a batch to logits.
    optimizer
        A torch optimiser over its parameters.
    memory
        What is kept of the stream.
    retrieval
        What is replayed; by default ten examples, drawn uniformly.
    transforms
        What is done to it before it evolves.
    evolution
        How it moves. Without a flow this is plain experience replay (ER).
    energy
        Which way it moves; by default `MemoryEnergy()`.
    space
        Where evolution acts: None (the input), `split_at(model, "layer3")` (the output of that
        layer), the name of a layer alone, or a `Split` of your own.
    input_rate
        On a layer: RMS of one step that the input takes beside, up its own loss; 0 for none.
    evolve_stream
        Evolve the incoming batch, too, by the same flow on the same energy, and learn the evolved
        copies beside the raw ones, with `evolved_weight`. Memory gets the raw ones.
    recipe
        `reference`, the default: replay raw and evolved examples; `paper`: evolved ones only.
    raw_weight
        Weight of the raw replay loss; overrules the recipe.
    evolved_weight
        Weight of the evolved replay loss; overrules the recipe.
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
    prepare
        Input as stored to input of the model; by default uint8 to [-1, 1], anything else as it is.
    seed
        Of all the learner's generators.
    updates
        Optimiser steps for each incoming batch.
    precision
        Of the training passes: `float32` or `bfloat16`.
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
        "space",
        "input_rate",
        "evolve_stream",
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
        space: Split | str | None = None,
        input_rate: float = 0.0,
        evolve_stream: bool = False,
        recipe: str = "reference",
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
        self.raw_weight, self.evolved_weight = replay_weights(
            recipe, raw_weight, evolved_weight, evolves=evolution is not None
        )
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
        for name, value in (("evolve_stream", evolve_stream), ("input_rate", input_rate)):
            require(
                evolution is not None or not value,
                f"{name} is {value}, but there is no flow by which anything could evolve; give "
                f"one, for instance evolution=Langevin(), or leave out {name}",
            )
        self.memory = memory
        self.retrieval: Retrieval = retrieval or UniformRetrieval(10)
        self.transforms = tuple(transforms)
        self.evolution = evolution
        self.energy: Energy = energy or MemoryEnergy()
        require(
            space != OWN, "the learner has a space of its own; pass it again: load(..., space=)"
        )
        self.space = split_at(model, space) if isinstance(space, str) else space
        self._space_is_checked = self.space is None
        self.passes = Passes(model, self.space, self._autocast)
        self.input_rate = input_rate
        self.evolving()  # refuses what does not go together
        self.evolve_stream = evolve_stream
        self.statistics = statistics
        self.forward = forward
        self.write_back = write_back
        self.extra_statistics = extra_statistics
        self.measure_alignment = measure_alignment

    def _learn(self, x: Tensor, y: Tensor) -> Step:
        inputs, labels = self._prepared(x), y.to(self.device)
        update = self._separate_update if self.forward == "separate" else self._joint_update
        trainable = self._trainable(inputs)
        if self.space is not None and not self._space_is_checked:
            self.space.check(self.model, inputs, training=trainable)
            self._space_is_checked = True
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
        incoming, known = stream_minibatch(inputs, labels), RawPass()
        if len(inputs) > 0:
            with self.watch("stream"):
                known = self._stream_pass(incoming)
                named = self.model.named_parameters()
                gradient = {name: p.grad for name, p in named if p.grad is not None}
        if known.loss is not None:
            losses["stream"] = known.loss
        stream = StreamStep(self.model, self.optimizer, inputs, labels, gradient)
        with self.watch("retrieval"):
            batch = self._replayed(self._context(stream, first))
        # not before: what is retrieved may depend on the gradient of the stream loss alone
        if self.evolve_stream and known.loss is not None:
            losses["evolved stream"], _ = self._evolved_pass(incoming, known, self.evolved_weight)
        outcome = Outcome()
        weights = self._replay_loss.weights(batch)
        if batch is not None:
            with self.watch("update" if self.evolution is None else "evolution"):
                term = self._replay_loss.raw_term(batch)
                self._update_statistics(term)
                raw = self._raw_passes.learned(batch, term)
            if raw.loss is not None:
                losses["raw"] = raw.loss
            if self.evolution is not None:
                losses["evolved"], evolved = self._evolved_pass(batch, raw, weights["evolved"])
                outcome = self._finished(batch, evolved)
        if losses:
            with self.watch("update"):
                self._step_optimizer(losses)
        return step_report(losses, weights, outcome)

    def _stream_pass(self, incoming: Batch) -> RawPass:
        """The training pass of the stream; if it evolves, also what evolution asks for."""
        if self.evolve_stream:
            return self._raw_passes.learned(incoming, term_of(incoming))
        loss = self._loss(incoming.inputs, incoming.labels)
        loss.backward()
        return RawPass(loss.detach())

    def _evolved_pass(self, batch: Batch, known: RawPass, weight: float) -> tuple[Tensor, Batch]:
        """Evolve a minibatch and learn from it: its loss, and where it is."""
        with self.watch("evolution"):
            evolved = self._evolve(batch, known)
        clean = self.statistics == "raw"
        with self.watch("update"):
            with batch_statistics_only(self.model) if clean else nullcontext():
                loss = self.passes.loss_of(evolved)
            (weight * loss).backward()
        return loss, evolved

    def _update_statistics(self, term: Term) -> None:
        """The control's extra forwards, which only BatchNorm notices."""
        for _ in range(self.extra_statistics):
            with torch.no_grad(), self._autocast():
                self.passes.logits(term)

    def _joint_update(self, inputs: Tensor, labels: Tensor, first: bool) -> Step:
        """One forward of stream, raw and evolved together; BatchNorm sees them as one batch."""
        terms = {"stream": Term(1.0, inputs, labels)} if len(inputs) > 0 else {}
        stream = StreamStep(self.model, self.optimizer, inputs, labels)
        with self.watch("retrieval"):
            batch = self._replayed(self._context(stream, first))
        if self.evolve_stream and len(inputs) > 0:
            evolved = self._evolved_apart(stream_minibatch(inputs, labels), terms["stream"])
            terms["evolved stream"] = term_of(evolved, self.evolved_weight)
        outcome = Outcome()
        weights = self._replay_loss.weights(batch)
        if batch is not None:
            terms["raw"] = self._replay_loss.raw_term(batch)
            self._update_statistics(terms["raw"])
            if self.evolution is not None:
                evolved = self._evolved_apart(batch, terms["raw"])
                terms["evolved"] = term_of(evolved, weights["evolved"])
                outcome = self._finished(batch, evolved)
        clean = self.statistics == "raw" and not terms.keys() <= {"stream", "raw"}
        if clean:
            with torch.no_grad(), self._autocast():
                self.passes.logits(*(terms[n] for n in ("stream", "raw") if n in terms))
        terms = {name: term for name, term in terms.items() if term.weight > 0}
        if not terms:
            return Step(stream_loss=None)
        with self.watch("update"):
            losses = self._joint_pass(terms, clean)
        return step_report(losses, weights, outcome)

    def _evolved_apart(self, batch: Batch, raw: Term) -> Batch:
        """The minibatch after the flow, before the one pass of all: g' has a pass of its own."""
        with self.watch("evolution"):
            return self._evolve(batch, self._raw_passes.reference(raw))

    def _joint_pass(self, terms: dict[str, Term], clean: bool) -> dict[str, Tensor]:
        with batch_statistics_only(self.model) if clean else nullcontext(), self._autocast():
            logits = self.passes.logits(*terms.values()).float()
        parts = logits.split([len(term.inputs) for term in terms.values()])
        losses = {
            name: cross_entropy(part, term.labels)
            for part, (name, term) in zip(parts, terms.items(), strict=True)
        }
        torch.stack([terms[name].weight * loss for name, loss in losses.items()]).sum().backward()
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
            batch = context.recognised(transform.apply(batch, transforming))
        return batch

    @property
    def _replay_loss(self) -> ReplayLoss:
        return ReplayLoss(self.raw_weight, self.evolved_weight, self.evolution is not None)

    @property
    def _raw_passes(self) -> RawPasses:
        return RawPasses(self.passes, self.evolving(), self.statistics)

    def evolving(self) -> Evolving | None:
        """The flow on the energy in the space where it acts; None without a flow."""
        if self.evolution is None:
            return None
        return Evolving(self.model, self.space, self.evolution, self.energy, self.input_rate)

    def examples(self, indices: Tensor) -> Batch:
        """What these memory slots hold, in the units of the model."""
        nothing = StreamStep(self.model, self.optimizer, torch.empty(0), torch.empty(0))
        return self._context(nothing).examples(indices)

    def _evolve(self, batch: Batch, known: RawPass) -> Batch:
        """The minibatch after the flow, in float32 where rounding would drown the dot product."""
        evolving = self.evolving()
        assert evolving is not None
        with self._autocast(enabled=alignment_of(self.energy) == 0):
            return evolving.evolved(batch, known, self.generators["evolution"])

    def _finished(self, batch: Batch, evolved: Batch) -> Outcome:
        """Write back if asked to, and measure what evolution did."""
        if self.write_back:
            # what a transform wrote in this step has aged the example already
            self.memory.write(batch.indices, written(evolved), counted=not self.transforms)
        moved = float(displacement(batch, evolved).square().mean().sqrt())
        aligned = self._alignment(batch, evolved) if self.measure_alignment else None
        return Outcome(moved, aligned)

    def _alignment(self, batch: Batch, evolved: Batch) -> float:
        with traceless(self.model):
            gradients = [
                named_gradients(self.model, self.passes.loss_of(b)) for b in (batch, evolved)
            ]
        raw, moved = (torch.cat([g.flatten() for g in part.values()]) for part in gradients)
        return float(cosine_similarity(raw, moved, dim=0))

    def settings(self) -> State:
        """Options, and parts as far as they are plain data; a space by the name of its layer."""
        settings = super().settings()
        settings["options"]["space"] = None if self.space is None else self.space.layer
        return settings

    def _context(self, stream: StreamStep, first: bool = True) -> StepContext:
        generator = self.generators["retrieval"]
        return StepContext(
            self.model, self.prepare, self.memory, stream, generator, first, self.space
        )

"""What a learner offers its parts during one step: `evoreplay.parts.Context`, made real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from evoreplay.errors import require
from evoreplay.gradients import named_gradients
from evoreplay.models.split import Split, renamed, shifted
from evoreplay.parts import Batch, Memory, Parameters, Prepare
from evoreplay.traceless import device_of, evaluating, traceless


class StreamStep:
    """The step that the incoming batch alone would make, computed when somebody asks."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        inputs: Tensor,
        labels: Tensor,
        gradient: Mapping[str, Tensor] | None = None,
    ) -> None:
        """`gradient` is that of the stream loss, for a learner that has it already."""
        self._model, self._optimizer = model, optimizer
        self._inputs, self._labels = inputs, labels
        self._gradient = gradient

    @cached_property
    def stepped_parameters(self) -> Parameters:
        """Theta - lr * gradient, by name; a parameter without a gradient stays."""
        rates = {p: group["lr"] for group in self._optimizer.param_groups for p in group["params"]}
        gradient = self._own_gradient() if self._gradient is None else self._gradient
        return {
            name: p.detach() - rates.get(p, 0.0) * gradient[name]
            if name in gradient
            else p.detach()
            for name, p in self._model.named_parameters()
        }

    def _own_gradient(self) -> dict[str, Tensor]:
        if len(self._inputs) == 0:
            return {}
        with traceless(self._model), torch.enable_grad():
            loss = cross_entropy(self._model(self._inputs), self._labels)
            return named_gradients(self._model, loss)


@dataclass(frozen=True)
class StepContext:
    """One learner, one update, one part's generator."""

    model: nn.Module
    prepare: Prepare
    memory: Memory
    stream: StreamStep
    generator: torch.Generator
    first_update: bool = True
    space: Split | None = None
    """How the model is split; None: the input itself evolves."""
    given: list[Batch] = field(default_factory=list)
    """Batches with a shift that were given out, so that their inputs are known again."""

    def with_generator(self, generator: torch.Generator) -> StepContext:
        """The same moment for another part."""
        return replace(self, generator=generator)

    @property
    def stepped_parameters(self) -> Parameters:
        """Where a step on the stream alone would lead."""
        return self.stream.stepped_parameters

    def prepared(self, x: Tensor) -> Tensor:
        """Inputs as stored to inputs of the model, where the model is."""
        return self.prepare(x.to(device_of(self.model), non_blocking=True))

    def examples(self, indices: Tensor) -> Batch:
        """What is in these slots, in the units of the model."""
        gathered = self.memory.gather(indices)
        anchors = self.prepared(gathered.x)
        delta = None if gathered.delta is None else gathered.delta.to(anchors.device)
        labels = gathered.y.to(anchors.device)
        if self.space is not None:
            return self.recognised(
                Batch(anchors, labels, indices, anchors, gathered.writes, None, delta)
            )
        inputs = anchors if delta is None else anchors + delta
        return Batch(inputs, labels, indices, anchors=anchors, writes=gathered.writes)

    def displaced(self, batch: Batch, displacement: Tensor) -> Batch:
        """The batch moved so far in the space that evolves; memory keeps it."""
        if self.space is not None:
            shift = shifted(displacement, batch.shift)
            self.memory.write(batch.indices, shift)
            # a tensor of its own: the inputs alone must tell this batch from the one before
            return self.recognised(replace(batch, inputs=batch.inputs.clone(), shift=shift))
        require_movable(batch.inputs)
        inputs = batch.inputs + displacement
        self.memory.write(batch.indices, inputs - batch.anchors)
        return replace(batch, inputs=inputs)

    def losses(self, inputs: Tensor, labels: Tensor, at: Parameters | None = None) -> Tensor:
        """The loss of each example."""
        with traceless(self.model), torch.no_grad():
            logits = self._logits(inputs, at)
        return cross_entropy(logits.float(), labels, reduction="none")

    def input_gradient(
        self, inputs: Tensor, labels: Tensor, at: Parameters | None = None
    ) -> Tensor:
        """The gradient of the mean loss with respect to what evolves; parameters get none."""
        at = at or {name: p.detach() for name, p in self.model.named_parameters()}
        with traceless(self.model), torch.enable_grad():
            head, z = self.model, inputs
            if self.space is not None:
                with torch.no_grad():
                    z = shifted(self.space.lift(inputs), self._shift_of(inputs))
                head = self.space.head_of(inputs)
                at = renamed(at, self.model, head)
            require_movable(z)
            z = z.detach().requires_grad_()
            loss = cross_entropy(called(head, at, z).float(), labels)
            return torch.autograd.grad(loss, z)[0]

    def parameter_gradient(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """The gradient of the mean loss as one vector, BatchNorm in eval mode."""
        trained = [p for p in self.model.parameters() if p.requires_grad]
        with evaluating(self.model), torch.enable_grad():
            loss = cross_entropy(self._logits(inputs).float(), labels)
            found = torch.autograd.grad(loss, trained, allow_unused=True)
        pairs = zip(trained, found, strict=True)
        return torch.cat([(torch.zeros_like(p) if g is None else g).flatten() for p, g in pairs])

    def _logits(self, inputs: Tensor, at: Parameters | None = None) -> Tensor:
        shift = self._shift_of(inputs)
        if self.space is None or shift is None:
            logits: Tensor = self.model(inputs) if at is None else called(self.model, at, inputs)
            return logits
        if at is None:
            return self.space.logits(inputs, shift)
        lift, head = self.space.lift, self.space.head_of(inputs)
        z = shifted(called(lift, renamed(at, self.model, lift), inputs), shift)
        return called(head, renamed(at, self.model, head), z)

    def recognised(self, batch: Batch) -> Batch:
        """The same batch, whose inputs will stand for all of it from now on."""
        if batch.shift is not None:
            self.given.append(batch)
        return batch

    def _shift_of(self, inputs: Tensor) -> Tensor | None:
        return next((b.shift for b in reversed(self.given) if b.inputs is inputs), None)


def called(module: nn.Module, at: Parameters, inputs: Tensor) -> Tensor:
    """The module's output at other parameters."""
    output: Tensor = functional_call(module, dict(at), (inputs,))
    return output


def require_movable(inputs: Tensor) -> None:
    """Refuse to move what has no place between its values."""
    require(
        inputs.dtype.is_floating_point,
        f"inputs of type {inputs.dtype} cannot move; let evolution act on their embedding: "
        "space=split_at(model, 'embedding')",
    )

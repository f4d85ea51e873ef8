r"""A-GEM: never step against the average gradient of the past.

With g the gradient of the stream loss and g_ref that of the mean loss of up to 256 memory examples,

    g <- g - ( <g, g_ref> / <g_ref, g_ref> ) g_ref      if <g, g_ref> < 0,

the dot products over all parameters. There is no replay loss: memory only forbids directions.

Reference: Chaudhry et al., "Efficient Lifelong Learning with A-GEM", ICLR 2019.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from evoreplay.errors import require
from evoreplay.gradients import named_gradients
from evoreplay.learners.context import StepContext, StreamStep
from evoreplay.learners.learner import Learner, Precision
from evoreplay.learners.step import Step
from evoreplay.parts import Memory, Prepare
from evoreplay.retrieval import UniformRetrieval


class AveragedGradientLearner(Learner):
    """Averaged gradient episodic memory; `reference` examples of memory give g_ref."""

    generator_names: ClassVar[tuple[str, ...]] = ("memory", "retrieval")
    part_names: ClassVar[tuple[str, ...]] = ("memory",)
    option_names: ClassVar[tuple[str, ...]] = (*Learner.option_names, "reference")

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        memory: Memory,
        reference: int = 256,
        prepare: Prepare | None = None,
        seed: int = 0,
        updates: int = 1,
        precision: Precision = "float32",
    ) -> None:
        super().__init__(
            model, optimizer, prepare=prepare, seed=seed, updates=updates, precision=precision
        )
        self.memory = memory
        self.reference = reference
        self._retrieval = UniformRetrieval(reference)

    def _learn(self, x: Tensor, y: Tensor) -> Step:
        inputs, labels = self._prepared(x), y.to(self.device)
        loss = None
        if self._trainable(inputs):
            for number in range(self.updates):
                with self.watch("stream"):
                    self.optimizer.zero_grad(set_to_none=True)
                    loss = self._loss(inputs, labels)
                    loss.backward()
                with self.watch("update"):
                    self._project(self._context("retrieval", inputs, labels, number == 0))
                    self._step_optimizer({"stream loss": loss})
        with self.watch("memory"):
            self.memory.add(x, y, self._context("memory", inputs, labels, True))
        return Step(stream_loss=None if loss is None else float(loss.detach()))

    def _project(self, context: StepContext) -> None:
        """Change the `grad` fields so that they do not point against the reference."""
        if len(self.memory) == 0:
            return
        batch = context.examples(self._retrieval.select(self.memory, context))
        if not self._trainable(batch.inputs):
            return
        reference = named_gradients(self.model, self._loss(batch.inputs, batch.labels))
        named = self.model.named_parameters()
        pairs = [(p, reference[n]) for n, p in named if n in reference and p.grad is not None]
        dot = sum_of_dots([(current(p), g) for p, g in pairs])
        squared = sum_of_dots([(g, g) for _, g in pairs])
        # factor 0 where they agree, or where there is no reference
        factor = torch.where((dot < 0) & (squared > 0), dot / squared.clamp(min=1e-30), 0.0)
        for parameter, against in pairs:
            parameter.grad = current(parameter) - factor * against

    def _context(self, part: str, inputs: Tensor, labels: Tensor, first: bool) -> StepContext:
        stream = StreamStep(self.model, self.optimizer, inputs, labels)
        generator = self.generators[part]
        return StepContext(self.model, self.prepare, self.memory, stream, generator, first)


def current(parameter: Tensor) -> Tensor:
    """The gradient a parameter has."""
    assert parameter.grad is not None
    return parameter.grad


def sum_of_dots(pairs: list[tuple[Tensor, Tensor]]) -> Tensor:
    """<a, b> over all parameters."""
    dots = [torch.dot(a.flatten(), b.flatten()) for a, b in pairs]
    require(bool(dots), "the model has no parameter with a gradient; nothing can be projected")
    return torch.stack(dots).sum()

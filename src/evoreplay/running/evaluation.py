"""When a run is measured, and what comes out."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from evoreplay.learners import Learner
from evoreplay.metrics import final_accuracy, forgetting
from evoreplay.parts import Memory
from evoreplay.running.choosing import evenly
from evoreplay.running.interruption import Interrupted, StopRequest
from evoreplay.running.memory_passes import evaluated_logits, placed
from evoreplay.running.setup import Experiment, Part

ANYTIME_MEASUREMENTS = 25
ANYTIME_EXAMPLES = 500
ANYTIME_MEMORY_EXAMPLES = 200
"""Of the memory, at the same moments."""


@dataclass
class Measurements:
    """All that was measured so far; plain data, part of every checkpoint."""

    matrix: list[list[float | None]]
    """acc[i][j]: accuracy on segment i after segment j."""
    anytime: list[dict[str, float | None]] = field(default_factory=list)
    """Accuracy on validation examples of the classes seen so far: batch, accuracy."""
    memory_balance: list[dict[str, Any]] = field(default_factory=list)
    """How many examples of each class the memory holds, at the same moments: batch, counts."""
    memory_loss: list[dict[str, float | None]] = field(default_factory=list)
    """How well the memory itself is known, at the same moments: batch, loss, accuracy."""
    seen_classes: list[int] = field(default_factory=list)
    measured_at: int = -1
    """The position of the stream whose measurements are in."""


class Evaluator:
    """Measures a learner at the ends of segments and 25 times along the stream."""

    def __init__(
        self,
        experiment: Experiment,
        stop: StopRequest,
        saved: dict[str, Any] | None = None,
        *,
        can_forget: bool = True,
    ) -> None:
        self._experiment = experiment
        self._stop = stop
        self._can_forget = can_forget
        self._last_correct: list[Tensor | None] = []
        count = len(experiment.test.segments)
        self.done = Measurements(**saved) if saved else Measurements([[] for _ in range(count)])
        self._anytime_every = max(1, len(experiment.stream) // ANYTIME_MEASUREMENTS)
        self._anytime_indices = evenly(torch.cat(experiment.validation.segments), ANYTIME_EXAMPLES)

    def state(self) -> dict[str, Any]:
        """For the checkpoint."""
        return asdict(self.done)

    def saw(self, labels: Tensor) -> None:
        """Remember which classes have come."""
        self.done.seen_classes = sorted({*self.done.seen_classes, *labels.tolist()})

    def measure(self, learner: Learner, position: int) -> dict[str, Any]:
        """What is due after `position` batches; measured twice it counts once."""
        if position <= self.done.measured_at:
            return {}
        ends = self._experiment.stream.segment_ends
        found: dict[str, Any] = {}
        if position > 0 and (position % self._anytime_every == 0 or position == ends[-1]):
            found["anytime"] = self._anytime(learner)
            memorised = memory_loss(learner)
            if memorised is not None:
                found["memory"] = memorised
        if position in ends:
            correct = self._correct_by_segment(learner, last=position == ends[-1])
            found["segments"] = [None if c is None else accuracy(c) for c in correct]
        # only now, when nothing can interrupt any more
        if "anytime" in found:
            self.done.anytime.append({"batch": position, "accuracy": found["anytime"]})
            counts = memory_counts(learner)
            if counts is not None:
                self.done.memory_balance.append({"batch": position, "counts": counts})
        if "memory" in found:
            self.done.memory_loss.append({"batch": position, **found["memory"]})
        for row, value in zip(self.done.matrix, found.get("segments", ()), strict=False):
            row.append(value)
        self.done.measured_at = position
        return found

    def summary(self, learner: Learner) -> dict[str, Any]:
        """The metrics of a finished run, unrounded."""
        test, validation = self._experiment.test, self._experiment.validation
        by_segment = self._last_correct or self._correct_by_segment(learner, last=True)
        correct = torch.cat([c for c in by_segment if c is not None])
        labels = test.y[torch.cat(test.segments)]
        per_class = {
            str(label): float(correct[labels == label].float().mean())
            for label in labels.unique().tolist()
        }
        return {
            "final_accuracy": final_accuracy(self.done.matrix),
            "validation_accuracy": accuracy(
                self._correct(learner, validation, torch.cat(validation.segments))
            ),
            "forgetting": forgetting(self.done.matrix) if self._can_forget else None,
            "accuracy_matrix": self.done.matrix,
            "per_class_accuracy": per_class,
            "anytime_accuracy": self.done.anytime,
            "memory_balance": self.done.memory_balance,
            "memory_loss": self.done.memory_loss,
        }

    def _anytime(self, learner: Learner) -> float | None:
        validation, indices = self._experiment.validation, self._anytime_indices
        seen = torch.isin(validation.y[indices], torch.tensor(self.done.seen_classes))
        return accuracy(self._correct(learner, validation, indices[seen]))

    def _correct_by_segment(self, learner: Learner, *, last: bool) -> list[Tensor | None]:
        """Which test examples are right, by segment; None for one of which no class has come."""
        test, seen = self._experiment.test, set(self.done.seen_classes)
        found = [
            self._correct(learner, test, indices) if last or seen & set(group) else None
            for group, indices in zip(self._experiment.groups, test.segments, strict=True)
        ]
        if last:
            self._last_correct = found
        return found

    def _correct(self, learner: Learner, part: Part, indices: Tensor) -> Tensor:
        found = [torch.zeros(0, dtype=torch.bool)]
        for chunk in indices.split(100) if len(indices) > 0 else ():
            if self._stop.signal_number is not None:
                raise Interrupted("interrupted while measuring", self._stop.signal_number)
            found.append(learner.predict(part.x[chunk]) == part.y[chunk])
        return torch.cat(found)


def accuracy(correct: Tensor) -> float | None:
    """The share of True; None of nothing."""
    return float(correct.double().mean()) if len(correct) > 0 else None


def memory_counts(learner: Learner) -> list[int] | None:
    """Examples of each class in the learner's memory; None without one."""
    memory: Memory | None = getattr(learner, "memory", None)
    if memory is None or learner.classes is None:
        return None
    labels = memory.gather(torch.arange(len(memory))).y
    return [int(count) for count in labels.bincount(minlength=learner.classes)]


def memory_loss(learner: Learner) -> dict[str, float | None] | None:
    """Mean cross-entropy and accuracy of what the memory holds, unevolved; None without one.

    Eval mode; examples as they are in memory, with what was written to them. Beside the accuracy on
    other examples of the same classes this is how far the memory is learned by heart.
    """
    memory: Memory | None = getattr(learner, "memory", None)
    if memory is None or len(memory) == 0:
        return None
    held = memory.gather(evenly(torch.arange(len(memory)), ANYTIME_MEMORY_EXAMPLES))
    logits = evaluated_logits(learner, placed(learner, held.x, held.delta)).double()
    loss = float(cross_entropy(logits, held.y))
    right = accuracy(logits.argmax(dim=1) == held.y)
    return {"loss": loss if math.isfinite(loss) else None, "accuracy": right}

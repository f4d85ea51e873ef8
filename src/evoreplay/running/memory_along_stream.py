r"""What evolution does to the memory, at the moments of the snapshots.

The claim of an evolving memory is that it stands better for all that went by. It is measured by the
squared maximum mean discrepancy (`metrics.memory_shift`) of the features of memory examples and of
past examples of the stream, whether memory kept them or not:

    raw      examples as memory holds them,
    evolved  the same examples after evolution, in minibatches drawn and evolved as in training.

Features are what the last linear layer is given, in eval mode. The bandwidth is the median squared
distance of the past examples' features, the same for both. An example that is in both samples is
not compared with itself, raw or evolved: raw memory would seem nearer only because it has not
moved. Beside it: how far the examples have moved, and their mean loss before and after.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from evoreplay.learners import Learner, ReplayLearner
from evoreplay.learners.evolving import displacement
from evoreplay.metrics import median_bandwidth, squared_discrepancy
from evoreplay.metrics.memory_shift import FEWEST
from evoreplay.parts import Memory
from evoreplay.random_state import named_generator
from evoreplay.running.choosing import evenly
from evoreplay.running.config import Config
from evoreplay.running.evolved_memory import MemoryEvolution
from evoreplay.running.interruption import Interrupted, StopRequest
from evoreplay.running.memory_passes import Placed, evaluated_features, placed
from evoreplay.running.snapshots import snapshot_positions
from evoreplay.streams import ArrayStream

PAST_EXAMPLES = 500
MEMORY_EXAMPLES = 500
"""More of a large memory would cost a large share of the run."""


class MemoryAlongStream:
    """Measures the memory three times in a run; the learner does not notice."""

    def __init__(
        self,
        config: Config,
        stream: ArrayStream,
        stop: StopRequest,
        saved: Sequence[dict[str, Any]] = (),
    ) -> None:
        self._config, self._stream, self._stop = config, stream, stop
        self._positions = snapshot_positions(len(stream))
        self.done = list(saved)
        """What `measure` gave at each moment."""

    def measure(self, learner: Learner, position: int) -> dict[str, Any] | None:
        """What is due after `position` batches; measured twice it counts once."""
        memory: Memory | None = getattr(learner, "memory", None)
        if memory is None or len(memory) < FEWEST or position not in self._positions:
            return None
        past = evenly(self._stream.order[: position * self._stream.batch_size], PAST_EXAMPLES)
        if len(past) < FEWEST or any(moment["batch"] == position for moment in self.done):
            return None
        slots = self._mixed(evenly(torch.arange(len(memory)), MEMORY_EXAMPLES), position)
        held = memory.gather(slots)
        shared = same_rows(held.x, self._stream.x[past])
        seen = evaluated_features(learner, placed(learner, self._stream.x[past]))
        bandwidth = median_bandwidth(seen)

        def distance(features: Tensor) -> float | None:
            if not math.isfinite(bandwidth):
                return None
            return finite(squared_discrepancy(features, seen, bandwidth=bandwidth, shared=shared))

        moment: dict[str, Any] = {
            "batch": position,
            "raw": distance(evaluated_features(learner, placed(learner, held.x, held.delta))),
            "evolved": None,
            "past_examples": len(past),
            "memory_examples": len(slots),
        }
        if isinstance(learner, ReplayLearner) and learner.evolution is not None:
            evolved = self._evolved(learner, slots, position)
            moment["evolved"] = distance(evaluated_features(learner, evolved.examples))
            moment["loss_before"] = finite(evolved.loss_before)
            moment["loss_after"] = finite(evolved.loss_after)
            moment["moved"] = finite(evolved.moved)
        # only now, when nothing can interrupt any more
        self.done.append(moment)
        return moment

    def summary(self) -> dict[str, Any]:
        """For the result: distances, and what evolution does to losses (empty without a flow)."""
        distance = ("batch", "raw", "evolved", "past_examples", "memory_examples")
        return {
            "memory_distance": [{name: m[name] for name in distance} for m in self.done],
            "memory_loss_rise": [
                {
                    "batch": m["batch"],
                    "before": m["loss_before"],
                    "after": m["loss_after"],
                    "rise": difference(m["loss_after"], m["loss_before"]),
                    "moved": m["moved"],
                }
                for m in self.done
                if "moved" in m
            ],
        }

    def _mixed(self, slots: Tensor, position: int) -> Tensor:
        """In random order: neighbours in memory may be of one class, a minibatch is a mixture."""
        generator = named_generator(self._config.seed, f"memory {position} order")
        return slots[torch.randperm(len(slots), generator=generator)]

    def _evolved(self, learner: ReplayLearner, slots: Tensor, position: int) -> _Evolved:
        """The examples in these slots after evolution, in their order, in minibatches."""
        evolution = MemoryEvolution(learner, seed=self._config.seed, name=f"memory {position}")
        # as equal as can be: a rest of one example would be its own batch statistics
        minibatches = slots.tensor_split(-(-len(slots) // self._config.replay_size))
        examples, before, after, squares = [], [], [], []
        for minibatch in minibatches:
            if self._stop.signal_number is not None:
                raise Interrupted("interrupted while measuring", self._stop.signal_number)
            raw, evolved, loss_before, loss_after = evolution.of(minibatch)
            examples.append(Placed(evolved.inputs, evolved.shift))
            before.append(loss_before)
            after.append(loss_after)
            squares.append(displacement(raw, evolved).flatten(1).double().square().mean(dim=1))
        means = [float(torch.cat(part).double().mean()) for part in (before, after, squares)]
        return _Evolved(examples, means[0], means[1], math.sqrt(means[2]))


class _Evolved(NamedTuple):
    """The memory after evolution."""

    examples: list[Placed]
    loss_before: float
    loss_after: float
    moved: float
    """RMS of the displacement, in the units of what evolves."""


def same_rows(x: Tensor, y: Tensor) -> Tensor:
    """Whether row i of `x` is row j of `y`, to the last bit."""
    known: dict[bytes, int] = {}
    numbers = [
        torch.tensor([known.setdefault(row.numpy().tobytes(), len(known)) for row in part.cpu()])
        for part in (x, y)
    ]
    return numbers[0][:, None] == numbers[1][None]


def finite(value: float) -> float | None:
    """A number that JSON has; None of another: a network may be far gone."""
    return value if math.isfinite(value) else None


def difference(after: float | None, before: float | None) -> float | None:
    """None if one is missing."""
    return None if after is None or before is None else after - before

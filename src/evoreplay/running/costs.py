"""What a step costs by counting its passes through the network.

A forward pass of n examples costs n, a backward pass to the inputs as much again, a backward pass
to all parameters (and through the activations) twice as much. Relative to an ER step, which is one
training pass of the stream batch and one of the replay batch, the machine cancels out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

from evoreplay.running.config import Config
from evoreplay.running.methods import Method, find_method

UNITS = {"forward": 1, "input": 2, "training": 3}


class Pass(NamedTuple):
    """So many passes of one kind and one batch size."""

    kind: Literal["forward", "input", "training"]
    """forward alone, forward and backward to the inputs, or to the parameters."""
    examples: int
    times: int = 1

    @property
    def units(self) -> int:
        """Forward passes of one example that cost as much."""
        return UNITS[self.kind] * self.examples * self.times


def passes_of_step(config: Config) -> list[Pass]:
    """The passes of one step of a resolved config, once its memory is full."""
    method = find_method(config.method)
    per_update = _passes_of_update(config, method)
    updates = cast(int, config.updates)
    edits = _transforms(config, method).count("gmed")
    once = [Pass("input", config.replay_size, 2)] * edits
    if method.kind == "replay" and (config.memory or method.memory) == "gss":
        # ten minibatches of memory and the incoming batch; items are rarely scored
        once += [Pass("training", 10, 10), Pass("training", config.batch_size)]
    return per_update * updates + once


def relative_cost(config: Config) -> float:
    """Units of a step, divided by those of an ER step with the same batches and updates."""
    er = 3 * (config.batch_size + config.replay_size) * cast(int, config.updates)
    return total_units(passes_of_step(config)) / er


def total_units(passes: Sequence[Pass]) -> int:
    """All of them."""
    return sum(one.units for one in passes)


def _transforms(config: Config, method: Method) -> tuple[str, ...]:
    return method.transforms if config.transforms is None else config.transforms


def _passes_of_update(config: Config, method: Method) -> list[Pass]:
    passes = [Pass("training", config.batch_size)]
    if method.kind == "fine-tuning":
        return passes
    if method.kind == "averaged gradient":
        reference = min(config.reference, cast(int, config.memory_size))
        return [*passes, Pass("training", reference)]
    replayed = config.replay_size * (2 if "augment" in _transforms(config, method) else 1)
    if (config.retrieval or method.retrieval) == "mir":
        candidates = min(cast(int, config.candidates), cast(int, config.memory_size))
        passes.append(Pass("forward", candidates, 2))
    if method.extra_statistics:
        passes.append(Pass("forward", replayed, config.steps))
    if method.flow is None:
        return [*passes, Pass("training", replayed)]
    augmented = replayed > config.replay_size
    passes.append(Pass("training", config.replay_size))
    # from rest the first two gradients of hmc are one, and nothing uses its last
    unused = 2 if config.initial_velocity == "zero" and config.steps > 2 else 1
    by_flow = {"ld": config.steps, "svgd": config.steps, "hmc": config.steps - unused, "noise": 0}
    steps = by_flow[method.flow]
    aligned = method.flow != "noise" and config.alignment > 0
    if aligned or augmented or config.recipe == "reference":
        passes.append(Pass("training", config.replay_size))
        if not aligned and not augmented:
            # carried on to the inputs, it is the first evolution step's pass too
            steps -= 1
    elif config.statistics == "raw" and steps <= 0:
        passes.append(Pass("forward", config.replay_size))
    if steps > 0:
        passes.append(Pass("input", config.replay_size, steps))
    return passes

"""What a step costs by counting its passes through the network.

A forward pass of n examples costs n, a backward pass to the inputs as much again, a backward pass
to all parameters (and through the activations) twice as much. Relative to an ER step, which is one
training pass of the stream batch and one of the replay batch, the machine cancels out.

Where the features of a layer evolve, an evolution step is a pass of the head alone, which costs its
share of the model; before the first of them the lift runs once, without gradients. The share is
that of the multiplications in convolutions and linear layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

import torch
from torch import Tensor, nn

from evoreplay.learners.replay_weights import replay_weights
from evoreplay.models import split_at
from evoreplay.running.config import Config
from evoreplay.running.methods import Method, find_method
from evoreplay.traceless import evaluating

UNITS = {"forward": 1, "input": 2, "training": 3}


class Pass(NamedTuple):
    """So many passes of one kind and one batch size, through all or a part of the model."""

    kind: Literal["forward", "input", "training"]
    """forward alone, forward and backward to the inputs, or to the parameters."""
    examples: int
    times: int = 1
    part: Literal["model", "lift", "head"] = "model"
    layer: str | None = None
    """Where the model is split, if it is a part of it."""
    share: float = 1.0
    """Of the model's cost, that of the part."""

    @property
    def units(self) -> float:
        """Forward passes of one example that cost as much."""
        return UNITS[self.kind] * self.examples * self.times * self.share


def passes_of_step(config: Config, head_share: float = 1.0) -> list[Pass]:
    """The passes of one step of a resolved config, once its memory is full.

    `head_share` is the head's share of the model's cost, if the space is a layer.
    """
    method = find_method(config.method)
    per_update = _passes_of_update(config, method, head_share)
    updates = cast(int, config.updates)
    edits = _transforms(config, method).count("gmed")
    editing = _steps(config, config.replay_size, head_share, 2)
    once = [*_lifts(config, head_share, 2), *editing] * edits
    if method.kind == "replay" and (config.memory or method.memory) == "gss":
        # ten minibatches of memory and the incoming batch; items are rarely scored
        once += [Pass("training", 10, 10), Pass("training", config.batch_size)]
    return per_update * updates + once


def relative_cost(config: Config, head_share: float = 1.0) -> float:
    """Units of a step, divided by those of an ER step with the same batches and updates."""
    er = 3 * (config.batch_size + config.replay_size) * cast(int, config.updates)
    return total_units(passes_of_step(config, head_share)) / er


def total_units(passes: Sequence[Pass]) -> float:
    """All of them."""
    return sum(one.units for one in passes)


def head_share(model: nn.Module, layer: str, x: Tensor) -> float:
    """Of the multiplications of a forward pass, those above the layer."""
    whole = multiplications(model, x)
    return 1 - multiplications(split_at(model, layer).lift, x) / whole if whole else 1.0


def multiplications(module: nn.Module, x: Tensor) -> int:
    """In the convolutions and linear layers of a forward pass; the module is left as it is."""
    counted: list[int] = []

    def count(layer: nn.Module, _: object, output: Tensor) -> None:
        weight = cast(Tensor, layer.weight)
        counted.append(output.numel() * weight[0].numel())

    kinds = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
    hooks = [m.register_forward_hook(count) for m in module.modules() if isinstance(m, kinds)]
    try:
        with evaluating(module), torch.no_grad():
            module(x)
    finally:
        for hook in hooks:
            hook.remove()
    return sum(counted)


def _transforms(config: Config, method: Method) -> tuple[str, ...]:
    return method.transforms if config.transforms is None else config.transforms


def _steps(config: Config, examples: int, head_share: float, times: int) -> list[Pass]:
    """Passes back to what evolves: the inputs, or the features of a layer."""
    if times <= 0:
        return []
    if config.space in (None, "input"):
        return [Pass("input", examples, times)]
    return [Pass("input", examples, times, "head", config.space, head_share)]


def _lifts(config: Config, head_share: float, times: int = 1) -> list[Pass]:
    """Passes to where features begin to evolve; inputs are there already."""
    if config.space in (None, "input"):
        return []
    return [Pass("forward", config.replay_size, times, "lift", config.space, 1 - head_share)]


def _passes_of_update(config: Config, method: Method, head_share: float) -> list[Pass]:
    passes = [Pass("training", config.batch_size)]
    if method.kind == "fine-tuning":
        return passes
    if method.kind == "averaged gradient":
        reference = min(config.reference, cast(int, config.memory_size))
        return [*passes, Pass("training", reference)]
    evolution_steps = cast(int, config.steps)
    replayed = config.replay_size * (2 if "augment" in _transforms(config, method) else 1)
    if (config.retrieval or method.retrieval) == "mir":
        candidates = min(cast(int, config.candidates), cast(int, config.memory_size))
        passes.append(Pass("forward", candidates, 2))
    if method.extra_statistics:
        passes.append(Pass("forward", replayed, evolution_steps))
    if method.flow is None:
        return [*passes, Pass("training", replayed)]
    augmented = replayed > config.replay_size
    passes.append(Pass("training", config.replay_size))
    # from rest the first two gradients of hmc are one, and nothing uses its last
    unused = 2 if config.initial_velocity == "zero" and evolution_steps > 2 else 1
    spared = {"ld": 0, "svgd": 0, "hmc": unused, "noise": evolution_steps}
    steps = evolution_steps - spared[method.flow]
    aligned = method.flow != "noise" and cast(float, config.alignment) > 0
    if config.evolve_stream:
        # the stream's own pass gives g' or the first evolution step's gradient, and the features
        passes.append(Pass("training", config.batch_size))
        left = steps if aligned else steps - 1
        passes += _steps(config, config.batch_size, head_share, left)
        if config.input_rate and aligned:
            passes.append(Pass("input", config.batch_size))
    raw, _ = replay_weights(config.recipe, config.raw_weight, config.evolved_weight)
    gives_input_step = method.flow == "noise"
    if aligned or augmented or raw > 0:
        passes.append(Pass("training", config.replay_size))
        if augmented:
            passes += _lifts(config, head_share)
        elif not aligned:
            # carried on to what evolves, it is the first evolution step's pass too
            steps -= 1
            gives_input_step = raw > 0
    elif config.statistics == "raw" and steps <= 0:
        passes.append(Pass("forward", config.replay_size))
    else:
        passes += _lifts(config, head_share)
    if config.input_rate and not gives_input_step:
        passes.append(Pass("input", config.replay_size))
    return [*passes, *_steps(config, config.replay_size, head_share, steps)]

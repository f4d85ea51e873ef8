"""Examples through the network as it is evaluated: memory, evolved memory, past data.

In eval mode and in full precision, without any change to the learner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from evoreplay.learners import Learner
from evoreplay.models.split import Split
from evoreplay.traceless import evaluating

CHUNK = 100


class Placed(NamedTuple):
    """Examples where they are now, in the units of the model."""

    inputs: Tensor
    shift: Tensor | None = None
    """Of their features, where those of a layer evolve."""


def placed(
    learner: Learner, x: Tensor, delta: Tensor | None = None, chunk: int = CHUNK
) -> Iterator[Placed]:
    """Examples as stored, with what was written to them, a chunk at a time."""
    space: Split | None = getattr(learner, "space", None)
    for begin in range(0, len(x), chunk):
        inputs = learner.prepare(x[begin : begin + chunk].to(learner.device))
        if delta is None:
            yield Placed(inputs)
            continue
        written = delta[begin : begin + chunk].to(learner.device)
        yield Placed(inputs + written) if space is None else Placed(inputs, written)


def evaluated_logits(learner: Learner, parts: Iterable[Placed]) -> Tensor:
    """Scores of all classes."""
    space: Split | None = getattr(learner, "space", None)
    found = []
    with evaluating(learner.model):
        for inputs, shift in parts:
            if space is None or shift is None:
                logits: Tensor = learner.model(inputs)
            else:
                logits = space.logits(inputs, shift)
            found.append(logits.float().cpu())
    return torch.cat(found)


def evaluated_features(learner: Learner, parts: Iterable[Placed]) -> Tensor:
    """What the last linear layer is given; the logits of a model without one."""
    linears = [module for module in learner.model.modules() if isinstance(module, nn.Linear)]
    if not linears:
        return evaluated_logits(learner, parts)
    seen: list[Tensor] = []
    handle = linears[-1].register_forward_hook(lambda module, given, out: seen.append(given[0]))
    try:
        evaluated_logits(learner, parts)
    finally:
        handle.remove()
    return torch.cat(seen).flatten(1).cpu()

"""Snapshots of the memory at three moments: what it holds, and how the network sees it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evoreplay.learners import Learner
from evoreplay.parts import Memory
from evoreplay.running.directory import RunDirectory
from evoreplay.traceless import evaluating

MOMENTS = 3


def snapshot_positions(length: int) -> list[int]:
    """After a third, two thirds and all of the batches."""
    return [round(length * (n + 1) / MOMENTS) for n in range(MOMENTS)]


def take_snapshot(learner: Learner, position: int, directory: RunDirectory) -> None:
    """Write the memory's examples, labels, deltas and features; nothing without a memory."""
    memory: Memory | None = getattr(learner, "memory", None)
    if memory is None or len(memory) == 0:
        return
    held = memory.gather(torch.arange(len(memory)))
    tensors = {"x": held.x, "y": held.y, "writes": held.writes}
    tensors["features"] = features(learner, held.x, held.delta)
    if held.delta is not None:
        tensors["delta"] = held.delta
    directory.snapshots.mkdir(exist_ok=True)
    directory.write_tensors(f"snapshots/step-{position:08d}", tensors)


def features(learner: Learner, x: Tensor, delta: Tensor | None, chunk: int = 100) -> Tensor:
    """What the last linear layer is given, in eval mode; the logits of a model without one."""
    linears = [module for module in learner.model.modules() if isinstance(module, nn.Linear)]
    if not linears:
        return learner.logits(x)
    seen: list[Tensor] = []
    handle = linears[-1].register_forward_hook(lambda module, given, out: seen.append(given[0]))
    try:
        with evaluating(learner.model):
            for number, part in enumerate(x.split(chunk)):
                inputs = learner.prepare(part.to(learner.device))
                if delta is not None:
                    inputs = inputs + delta[number * chunk :][: len(part)].to(learner.device)
                learner.model(inputs)
    finally:
        handle.remove()
    return torch.cat(seen).flatten(1).cpu()

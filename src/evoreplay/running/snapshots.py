"""Snapshots of the memory at three moments: what it holds, how the network sees it, how it evolves.

Everything a page shows later is computed here, once: t-SNE of the features (reports of hundreds of
runs would wait for it), and some examples before and after evolution with their losses.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from evoreplay.learners import Learner, ReplayLearner
from evoreplay.models.split import shifted
from evoreplay.parts import Memory
from evoreplay.running.choosing import balanced, evenly
from evoreplay.running.directory import RunDirectory
from evoreplay.running.embedding import embedding
from evoreplay.running.evolved_memory import MemoryEvolution
from evoreplay.running.memory_passes import CHUNK, evaluated_features, placed

MOMENTS = 3
SHOWN = 12
EMBEDDED = 500


class Evolved(NamedTuple):
    """Memory examples before and after evolution."""

    loss_before: Tensor
    loss_after: Tensor
    raw: Tensor | None = None
    """Inputs of the model; None where only features move."""
    evolved: Tensor | None = None
    raw_features: Tensor | None = None
    """Features of a layer; None where the flow moves the inputs."""
    evolved_features: Tensor | None = None


def snapshot_positions(length: int) -> list[int]:
    """After a third, two thirds and all of the batches."""
    return [round(length * (n + 1) / MOMENTS) for n in range(MOMENTS)]


def take_snapshot(learner: Learner, position: int, directory: RunDirectory) -> None:
    """Write the memory's examples, labels, deltas and features; nothing without a memory.

    `embedded` and `shown` are the slots of the rows of `embedding` (t-SNE) and of `raw`, `evolved`,
    `loss_before` and `loss_after`. Where features evolve, these are in `raw_features` and
    `evolved_features`, and there are no `raw` and `evolved` unless the inputs take a step beside.
    """
    memory: Memory | None = getattr(learner, "memory", None)
    if memory is None or len(memory) == 0:
        return
    slots = torch.arange(len(memory))
    held = memory.gather(slots)
    tensors = {"x": held.x, "y": held.y, "writes": held.writes}
    tensors["features"] = features(learner, held.x, held.delta)
    if held.delta is not None:
        tensors["delta"] = held.delta
    tensors["embedded"] = evenly(slots, EMBEDDED)
    tensors["embedding"] = embedding(tensors["features"][tensors["embedded"]])
    if isinstance(learner, ReplayLearner) and learner.evolution is not None:
        tensors["shown"] = spread_over_classes(held.y, SHOWN)
        found = evolved_examples(learner, tensors["shown"], seed=position)._asdict()
        tensors |= {name: tensor for name, tensor in found.items() if tensor is not None}
    directory.snapshots.mkdir(exist_ok=True)
    directory.write_tensors(f"snapshots/step-{position:08d}", tensors)


def spread_over_classes(labels: Tensor, count: int) -> Tensor:
    """At most `count` slots, as many of each class, sorted by class."""
    slots = balanced(labels, count)
    return slots[labels[slots].argsort(stable=True)]


def evolved_examples(learner: ReplayLearner, slots: Tensor, *, seed: int) -> Evolved:
    """These memory examples and what evolution makes of them; the learner does not notice."""
    batch, evolved, *losses = MemoryEvolution(learner, seed=seed, name="snapshot").of(slots)
    found = Evolved(*losses)
    inputs_move = learner.space is None or evolved.inputs is not batch.inputs
    if inputs_move:
        found = found._replace(raw=batch.inputs.cpu(), evolved=evolved.inputs.cpu())
    if learner.space is not None:
        evolving = learner.evolving()
        assert evolving is not None
        raw = evolving.lifted(batch)
        moved = evolving.lifted(evolved) if inputs_move else raw
        found = found._replace(
            raw_features=shifted(raw, batch.shift).cpu(),
            evolved_features=shifted(moved, evolved.shift).cpu(),
        )
    return found


def features(learner: Learner, x: Tensor, delta: Tensor | None, chunk: int = CHUNK) -> Tensor:
    """What the last linear layer is given, in eval mode; the logits of a model without one."""
    return evaluated_features(learner, placed(learner, x, delta, chunk))

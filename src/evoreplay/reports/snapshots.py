"""What a page shows of a run's snapshots; of a large file only that is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from evoreplay.errors import UserError, require
from evoreplay.reports.collect import Skipped
from evoreplay.reports.figures.png import as_pictures
from evoreplay.reports.groups import Group, shown_groups
from evoreplay.reports.results import FinishedRun

MODEL_RANGE = (-1.0, 1.0)
"""Of stored bytes, in the units of the model."""


@dataclass(frozen=True)
class Evolved:
    """Memory examples before and after evolution."""

    labels: list[int]
    slots: list[int]
    """Where they are in memory."""
    raw: np.ndarray
    """Pictures: (N, channels, height, width)."""
    evolved: np.ndarray
    loss_before: list[float]
    loss_after: list[float]
    low: float
    """The value that is black."""
    high: float
    """The value that is white."""


@dataclass(frozen=True)
class MemoryMap:
    """Features of the memory in two dimensions."""

    labels: list[int]
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class Snapshot:
    """A moment of one run; older runs lack some of it."""

    batch: int
    evolved: Evolved | None
    map: MemoryMap | None


@dataclass(frozen=True)
class ShownMemory:
    """The moments of one seed that stands for its row."""

    group: Group
    run: FinishedRun
    moments: list[Snapshot]


@dataclass(frozen=True)
class Memories:
    """What can be shown of the memories of a section."""

    evolving: list[ShownMemory]
    """With examples before and after evolution."""
    evolving_there: int
    """Rows that have a flow and snapshots; not all of them are shown."""
    mapped: list[ShownMemory]
    """With a map of the features."""
    mapped_there: int


def shown_memories(groups: Sequence[Group], skipped: list[Skipped]) -> Memories:
    """Of at most so many rows the first seed that has what is to be shown."""
    there = [g for g in groups if any((run.path / "snapshots").is_dir() for run in g.runs)]
    flows = [group for group in there if "+" in group.method]
    told: list[Skipped] = []

    @cache
    def moments_of(run: FinishedRun) -> list[Snapshot]:
        return read_snapshots(run, told)

    def first(group: Group, wanted: Callable[[Snapshot], object]) -> list[ShownMemory]:
        for run in group.runs:
            moments = [moment for moment in moments_of(run) if wanted(moment) is not None]
            if moments:
                return [ShownMemory(group, run, moments)]
        return []

    evolving = [m for g in shown_groups(flows) for m in first(g, lambda moment: moment.evolved)]
    mapped = [m for g in shown_groups(there) for m in first(g, lambda moment: moment.map)]
    skipped += told
    return Memories(evolving, len(flows), mapped, len(there))


def read_snapshots(run: FinishedRun, skipped: list[Skipped]) -> list[Snapshot]:
    """The moments of a run that can be read, in their order."""
    folder = run.path / "snapshots"
    found = []
    for file in sorted(folder.glob("step-*.safetensors")) if folder.is_dir() else ():
        try:
            found.append(read_snapshot(file))
        except UserError as error:
            skipped.append(Skipped(f"{run.name}/snapshots/{file.name}", str(error)))
    return found


def read_snapshot(file: Path) -> Snapshot:
    """One moment; `UserError` says what is wrong with the file."""
    step = re.fullmatch(r"step-(\d+)\.safetensors", file.name)
    require(step is not None, "its name has no step")
    assert step is not None
    try:
        with safe_open(file, framework="pt") as tensors:
            return Snapshot(int(step[1]), _evolved(tensors), _map(tensors))
    # torch tells a bad index by an IndexError or a RuntimeError
    except (SafetensorError, OSError, RuntimeError, IndexError, ValueError, TypeError) as error:
        raise UserError("cannot be read: it is damaged") from error


def _evolved(tensors: Any) -> Evolved | None:
    names = {"y", "shown", "raw", "evolved", "loss_before", "loss_after"}
    if not names <= set(tensors.keys()):
        return None
    found = {name: tensors.get_tensor(name) for name in names - {"y"}}
    raw, evolved = (as_pictures(found[name].float().numpy()) for name in ("raw", "evolved"))
    if raw is None or evolved is None or raw.shape != evolved.shape or len(raw) == 0:
        return None
    for name in ("shown", "loss_before", "loss_after"):
        require(found[name].shape == (len(raw),), f"its {name} has another length than its images")
    low, high = MODEL_RANGE
    stored_as_bytes = "x" in tensors.keys() and tensors.get_slice("x").get_dtype() == "U8"  # noqa: SIM118
    if not stored_as_bytes:
        low, high = float(raw.min()), float(raw.max())
    return Evolved(
        labels=tensors.get_tensor("y")[found["shown"]].tolist(),
        slots=found["shown"].tolist(),
        raw=raw,
        evolved=evolved,
        loss_before=found["loss_before"].tolist(),
        loss_after=found["loss_after"].tolist(),
        low=low,
        high=high if high > low else low + 1,
    )


def _map(tensors: Any) -> MemoryMap | None:
    if not {"y", "embedded", "embedding"} <= set(tensors.keys()):
        return None
    points = tensors.get_tensor("embedding")
    # all at one place: there was nothing to map
    if len(points) == 0 or float(points.std()) == 0 or not bool(points.isfinite().all()):
        return None
    labels = tensors.get_tensor("y")[tensors.get_tensor("embedded")]
    require(len(labels) == len(points), "its map has another length than its labels")
    return MemoryMap(labels.tolist(), [(float(x), float(y)) for x, y in points.tolist()])

"""Memory examples as PNG files: as they are, as they are replayed, and their losses beside them.

A file name tells the moment, the class and the slot: `batch-00000400_class-003_slot-00017_raw.png`
and `..._evolved.png`. `losses.csv` has a row for each example.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from evoreplay.errors import UserError, require
from evoreplay.learners import Learner, ReplayLearner
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.parts import Memory
from evoreplay.reports.figures.png import as_pictures, png_bytes
from evoreplay.reports.snapshots import MODEL_RANGE
from evoreplay.running.snapshots import SHOWN, evolved_examples, spread_over_classes
from evoreplay.storage import write_folder

COLUMNS = ("batch", "class", "slot", "loss_before", "loss_after", "raw", "evolved")
BYTE_RANGE = (0.0, 255.0)


@dataclass(frozen=True, kw_only=True)
class MemoryImages:
    """What is exported of one moment."""

    batch: int
    """How many batches the learner had seen."""
    labels: Sequence[int]
    slots: Sequence[int]
    raw: np.ndarray
    """(N, channels, height, width)."""
    values: tuple[float, float]
    """Those that are black and white."""
    evolved: np.ndarray | None = None
    """None without a flow, or where features evolve and images stay as they are."""
    losses: Sequence[tuple[float, float]] | None = None
    """Before and after evolution; None without a flow."""


class Exported(NamedTuple):
    """What was written."""

    folder: Path
    images: int
    skipped: list[str]
    """What could not be read, and why."""


def export_memory(
    learner: Learner, folder: str | Path, *, slots: Iterable[int] | None = None
) -> Exported:
    """Write memory examples of a learner, raw and evolved, into a new or empty folder.

    Without `slots` it is at most 12, from all classes. They evolve together, as one minibatch, by a
    generator of its own: the learner does not notice. The folder is written whole or not at all.
    """
    folder = Path(folder)
    require_empty(folder)
    memory: Memory | None = getattr(learner, "memory", None)
    require(memory is not None, f"a {type(learner).__name__} keeps no memory; give another learner")
    assert memory is not None
    require(len(memory) > 0, "the memory is empty; let the learner observe() something first")
    chosen = _chosen(memory, slots)
    held = memory.gather(chosen)
    require_images(held.x)
    found = MemoryImages(
        batch=learner.steps,
        labels=held.y.tolist(),
        slots=chosen.tolist(),
        raw=pictures(held.x),
        values=values_of(held.x),
    )
    if isinstance(learner, ReplayLearner) and learner.evolution is not None:
        found = _with_evolution(found, learner, chosen, held.x.dtype)
    return write_images(folder, [found])


def _with_evolution(
    found: MemoryImages, learner: ReplayLearner, slots: Tensor, stored: torch.dtype
) -> MemoryImages:
    """The losses and, where the images themselves move, these in the units of the model."""
    moved = evolved_examples(learner, slots, seed=learner.steps)
    losses = list(zip(moved.loss_before.tolist(), moved.loss_after.tolist(), strict=True))
    if moved.raw is None or moved.evolved is None:
        return replace(found, losses=losses)
    known = stored == torch.uint8 and learner.prepare is scaled_to_unit_range
    return replace(
        found,
        losses=losses,
        raw=pictures(moved.raw),
        evolved=pictures(moved.evolved),
        values=MODEL_RANGE if known else values_of(moved.raw),
    )


def write_images(
    folder: Path, moments: Sequence[MemoryImages], skipped: Sequence[str] = ()
) -> Exported:
    """All files of these moments in a folder that is new or empty."""
    files: dict[str, bytes] = {}
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for moment in moments:
        for n, (label, slot) in enumerate(zip(moment.labels, moment.slots, strict=True)):
            name = f"batch-{moment.batch:08d}_class-{label:03d}_slot-{slot:05d}"
            own = {f"{name}_raw.png": png_bytes(moment.raw[n], *moment.values)}
            if moment.evolved is not None:
                own[f"{name}_evolved.png"] = png_bytes(moment.evolved[n], *moment.values)
            losses = ("", "") if moment.losses is None else moment.losses[n]
            names = [*own, ""][:2]
            writer.writerow([moment.batch, label, slot, *losses, *names])
            files |= own
    count = len(files)
    try:
        write_folder(folder, files | {"losses.csv": table.getvalue().encode()})
    except OSError as error:
        raise UserError(
            f"cannot write {folder}: {error.strerror or error}; give another folder"
        ) from error
    return Exported(folder, count, list(skipped))


def require_empty(folder: Path) -> None:
    """Refuse a folder that holds anything."""
    try:
        first = next(iter(sorted(p.name for p in folder.iterdir())), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(
            f"cannot write to {folder}: {error.strerror or error}; give another folder"
        ) from error
    require(
        first is None,
        f"{folder} is not empty ({first!r} is in it); nothing was written: give a new folder",
    )


def require_images(x: Tensor) -> None:
    """Refuse examples, as stored, that cannot be looked at."""
    require(
        x.dtype == torch.uint8 or x.dtype.is_floating_point,
        f"examples of type {x.dtype} are texts or codes, not images; only images can be exported",
    )


def pictures(x: Tensor) -> np.ndarray:
    """Examples as (N, channels, height, width); an error if they cannot be looked at."""
    found = as_pictures(x.float().numpy())
    if found is None:
        raise UserError(
            f"examples of shape {tuple(x.shape[1:])} are not images; only (channels, height, "
            "width) with 1 or 3 channels, (height, width) and flat squares such as 64 can be "
            "exported"
        )
    return found


def values_of(x: Tensor) -> tuple[float, float]:
    """What is black and what is white: the range of bytes, or of the numbers that are there."""
    if x.dtype == torch.uint8:
        return BYTE_RANGE
    low, high = float(x.min()), float(x.max())
    return low, high if high > low else low + 1


def _chosen(memory: Memory, slots: Iterable[int] | None) -> Tensor:
    if slots is None:
        return spread_over_classes(memory.gather(torch.arange(len(memory))).y, SHOWN)
    chosen = torch.tensor([int(slot) for slot in slots], dtype=torch.int64)
    fits = len(chosen) > 0 and int(chosen.min()) >= 0 and int(chosen.max()) < len(memory)
    require(
        fits and len(chosen.unique()) == len(chosen),
        f"slots is {chosen.tolist()}; give different numbers from 0 to {len(memory) - 1}",
    )
    return chosen

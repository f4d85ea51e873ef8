"""The memory images of a run, from its snapshots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from safetensors.torch import load_file

from evoreplay.errors import UserError, require
from evoreplay.reports.memory_images import (
    Exported,
    MemoryImages,
    pictures,
    require_empty,
    require_images,
    values_of,
    write_images,
)
from evoreplay.reports.snapshots import Snapshot, read_snapshot
from evoreplay.running.snapshots import SHOWN, spread_over_classes


def export_run(run: Path, folder: Path) -> Exported:
    """Write the memory images of all moments of a run into a new or empty folder.

    A snapshot that cannot be read is skipped and named; if none can, it is an error.
    """
    require_empty(folder)
    files = sorted((run / "snapshots").glob("step-*.safetensors"))
    require(
        len(files) > 0,
        f"{run} has no snapshots: its method keeps no memory, or the run has not come to a third "
        "of its stream; give another run",
    )
    skipped: list[str] = []
    moments = list(_moments(files, skipped))
    require(len(moments) > 0, f"no snapshot of {run} can be read; run it again in another folder")
    return write_images(folder, moments, skipped)


def _moments(files: list[Path], skipped: list[str]) -> Iterator[MemoryImages]:
    for file in files:
        try:
            snapshot = read_snapshot(file)
        except UserError as error:
            skipped.append(f"{file.name}: {error}")
            continue
        try:
            yield _images(file, snapshot)
        except UserError:
            raise  # what it holds is no image, and that of the other moments is none either
        except (KeyError, IndexError, RuntimeError, ValueError):
            skipped.append(f"{file.name}: cannot be read: it is damaged")


def _images(file: Path, snapshot: Snapshot) -> MemoryImages:
    if snapshot.evolved is None:
        return _stored(file, snapshot.batch)
    shown = snapshot.evolved
    return MemoryImages(
        batch=snapshot.batch,
        labels=shown.labels,
        slots=shown.slots,
        raw=shown.raw,
        values=(shown.low, shown.high),
        evolved=shown.evolved,
        losses=list(zip(shown.loss_before, shown.loss_after, strict=True)),
    )


def _stored(file: Path, batch: int) -> MemoryImages:
    """Without evolved images: the examples as they came in the stream."""
    tensors = load_file(file)
    require_images(tensors["x"])
    slots = tensors.get("shown")
    losses = None
    if slots is None:
        slots = spread_over_classes(tensors["y"], SHOWN)
    elif {"loss_before", "loss_after"} <= tensors.keys():
        pairs = (tensors["loss_before"].tolist(), tensors["loss_after"].tolist())
        losses = list(zip(*pairs, strict=True))
    held = tensors["x"][slots]
    return MemoryImages(
        batch=batch,
        labels=tensors["y"][slots].tolist(),
        slots=slots.tolist(),
        raw=pictures(held),
        values=values_of(held),
        losses=losses,
    )

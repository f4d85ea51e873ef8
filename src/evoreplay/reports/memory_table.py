"""The table of what evolution does to the memory, beside accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evoreplay.reports.comparisons import NO_DIFFERENCE
from evoreplay.reports.groups import Section
from evoreplay.reports.memory_numbers import MemoryNumbers
from evoreplay.reports.rows import Row
from evoreplay.reports.statistics import Summary
from evoreplay.reports.tables import (
    EMPTY,
    NOT_MEASURED,
    Cell,
    Column,
    Table,
    Tone,
    comparison_cell,
    decimal,
    interval_text,
    spread_cell,
)

COLUMNS = (
    Column("method", numeric=False),
    Column("n (seeds)"),
    Column("accuracy %: mean"),
    Column("moved: mean ± sd"),
    Column("rise of the loss by evolution: mean, 95 % t-interval"),
    Column("distance of raw memory: mean ± sd"),
    Column("distance of evolved memory: mean ± sd"),
    Column("evolved minus raw, 95 % paired interval"),
    Column("loss of the memory: mean ± sd"),
    Column("accuracy on memory minus test, points: mean ± sd"),
    Column("difference of the last to er, 95 % paired interval"),
)
NOTES = (
    "Moved: RMS displacement of replayed examples in the units of what evolves, mean over the "
    "stream. All else is at the end of the stream. Rise of the loss: mean loss of the memory after "
    "evolution minus before, from where memory holds the examples, without augmentation.",
    "Distance: squared maximum mean discrepancy (unbiased, so it may be below 0) between features "
    "of at most 500 memory examples and of at most 500 examples of all past data, Gaussian kernel, "
    "bandwidth the median squared distance of the past examples. Each network has features of its "
    "own: raw and evolved of one row can be compared, distances of two rows cannot.",
    "Loss of the memory: mean cross-entropy of at most 200 raw memory examples. Where accuracy on "
    "memory is above accuracy on test examples, memory is learned by heart.",
)


def memory_table(section: Section, rows: Sequence[Row]) -> Table | None:
    """None unless some run has measured its memory; rows without a memory are left out."""
    if not any(has_memory(row.memory) for row in rows):
        return None
    shown = [row for row in rows if has_memory(row.memory) or not row.memory.measured]
    return Table(
        "memory",
        f"What evolution does to the memory: {section.title}",
        list(COLUMNS),
        [_cells(row) for row in shown],
        list(NOTES),
    )


def has_memory(found: MemoryNumbers) -> bool:
    """Whether anything was measured of it."""
    return found.raw_distance is not None or found.loss is not None


def _cells(row: Row) -> list[Cell]:
    found = row.memory
    nothing = EMPTY if found.measured else NOT_MEASURED
    return [
        Cell(row.group.label),
        Cell(str(row.accuracy.n), value=row.accuracy.n),
        Cell(decimal(row.accuracy.mean), value=row.accuracy.mean),
        _spread(found.moved, NOT_MEASURED),
        _with_interval(found.loss_rise, nothing),
        _spread(found.raw_distance, nothing),
        _spread(found.evolved_distance, nothing),
        _farther(found, nothing),
        _spread(found.loss, nothing),
        nothing if found.by_heart is None else spread_cell(found.by_heart),
        _to_reference(row),
    ]


def _spread(found: Summary | None, nothing: Cell) -> Cell:
    return nothing if found is None else spread_cell(found, 4)


def _with_interval(found: Summary | None, nothing: Cell) -> Cell:
    if found is None:
        return nothing
    text = decimal(found.mean, 3, sign=True)
    return Cell(text, interval_text(found, 3, sign=True), found.mean)


def _to_reference(row: Row) -> Cell:
    if row.is_reference:
        return Cell("the reference")
    cell = comparison_cell(row.memory.by_heart_to_reference)
    # less by heart is no loss: the colours of accuracy would mislead
    return cell if cell.tone == "none" else replace(cell, tone="")


def _farther(found: MemoryNumbers, nothing: Cell) -> Cell:
    if found.farther_words is None:
        return nothing
    if found.farther is None:
        return Cell(EMPTY.text, found.farther_words)
    numbers = f"{decimal(found.farther.mean, 4, sign=True)} "
    numbers += interval_text(found.farther, 4, sign=True)
    # nearer to the past is what is hoped for, and no win in accuracy: no colour
    tone: Tone = "none" if found.farther_words == NO_DIFFERENCE else ""
    return Cell(numbers, f"{found.farther_words} (n = {found.farther.n})", found.farther.mean, tone)

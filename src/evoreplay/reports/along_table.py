"""Accuracy along the stream, compared: the mean over all moments at which a run was measured.

Accuracy after the last batch swings by several points within a hundred batches. The mean over the
stream, of accuracy on the classes seen so far, is another question: how good was the model all the
way? It does not hang on one moment.
"""

from __future__ import annotations

from statistics import fmean

from evoreplay.reports.comparisons import controls_of, reference_of
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.rows import percent
from evoreplay.reports.tables import (
    EMPTY,
    Cell,
    Column,
    Table,
    compared_cell,
    decimal,
    interval_text,
)

COMPARED = 4
"""Columns before those of differences."""
NOTES = (
    "Mean over the moments at which accuracy was measured along the stream (at most 500 validation "
    "images of the classes seen so far), then over seeds. It is not the accuracy of the table "
    "above: that is of test images after the last batch, this of validation images all the way, "
    "with few classes in the beginning. It does not hang on one moment.",
)


def mean_along_stream(run: FinishedRun) -> float | None:
    """Mean anytime accuracy; None if it was never measured."""
    return fmean(run.anytime.values()) if run.anytime else None


def along_table(section: Section) -> Table | None:
    """None if there is nothing to compare."""
    rows = [
        cells
        for group in section.groups
        if (cells := _cells(group, section.groups)) is not None
    ]  # fmt: skip
    if all(cell is EMPTY for row in rows for cell in row[COMPARED:]):
        return None
    return Table(
        "along",
        f"Mean accuracy along the stream: {section.title}",
        [
            Column("method", numeric=False),
            Column("n (seeds)"),
            Column("accuracy along the stream %: mean"),
            Column("95 % t-interval"),
            Column("difference to er, 95 % paired interval"),
            Column("difference to noise control, 95 % paired interval"),
            Column("difference to er-x2, 95 % paired interval"),
        ],
        rows,
        list(NOTES),
    )


def _cells(group: Group, groups: tuple[Group, ...]) -> list[Cell] | None:
    found = percent(list(group.by_seed(mean_along_stream).values()))
    if found is None:
        return None
    noise, twice = controls_of(group, groups)
    return [
        Cell(group.label),
        Cell(str(found.n), value=found.n),
        Cell(decimal(found.mean), value=found.mean),
        Cell(interval_text(found), value=found.low),
        *(
            compared_cell(group, other, mean_along_stream)
            for other in (reference_of(group, groups), noise, twice)
        ),
    ]

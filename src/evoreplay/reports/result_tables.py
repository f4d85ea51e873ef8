"""The tables of a section: results, cost, and one for each setting that was varied."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from evoreplay.reports.groups import Group, Section
from evoreplay.reports.labels import setting_text
from evoreplay.reports.paper_numbers import paper_accuracy
from evoreplay.reports.rows import Row
from evoreplay.reports.tables import (
    EMPTY,
    NOT_MEASURED,
    Cell,
    Column,
    Table,
    comparison_cell,
    decimal,
    interval_text,
    paper_cell,
    spread_cell,
    spread_text,
)

BRACKETS = (
    "The paper's numbers are means ± standard deviations of 10 runs. In brackets: the dataset here "
    "is a subset or the stream is shortened, so it is not the same experiment. No number "
    "stands where the paper has no such experiment (with a flow, its own have recipe=paper), or "
    "where more than one setting differs."
)
INCOMPLETE = (
    "n of m: of m planned seeds n are finished, and the numbers are theirs. Not measured: none is."
)
VARIED = {
    "memory_size": "memory size",
    "steps": "number of evolution steps",
    "alignment": "weight of the gradient dot product (beta)",
    "rate": "evolution rate (alpha)",
}
"""Settings that have a table of their own in the paper."""


def section_tables(section: Section, rows: Sequence[Row]) -> list[Table]:
    """All tables of final accuracy and time."""
    tables = [result_table(section, rows)]
    tables += [t for field in VARIED if (t := varied_table(section, rows, field)) is not None]
    cost = cost_table(section, rows)
    return tables if cost is None else [*tables, cost]


def result_table(section: Section, rows: Sequence[Row]) -> Table:
    """Final accuracy, forgetting, and the comparisons."""
    columns = [
        Column("method", numeric=False),
        Column("n (seeds)"),
        Column("accuracy %: mean"),
        Column("standard deviation"),
        Column("95 % t-interval"),
        Column("forgetting %: mean ± sd"),
        Column("difference to er, 95 % paired interval"),
        Column("difference to noise control, 95 % paired interval"),
    ]
    # most pages have no use for this one
    twice = any(row.to_twice is not None for row in rows)
    columns += [Column("difference to er-x2, 95 % paired interval")] if twice else []
    columns += [Column("paper: mean ± sd")]
    measured = {row.group: row for row in rows}
    return Table(
        "results",
        f"Final accuracy: {section.title}",
        columns,
        [
            _result_cells(measured[group], twice=twice)
            if group in measured
            else _missing_cells(group, len(columns))
            for group in section.all_groups
        ],
        [
            "Standard deviations have n - 1 in the denominator. Differences are in percentage "
            "points of final accuracy, paired by seed; each interval stands for itself, so of "
            "many comparisons some exclude 0 by chance.",
            "er: the row er with the same stream, model, memory and training. Noise control: the "
            "same method with as much noise and no gradient (+noise); normalised steps of "
            "Langevin's drift without noise are compared with noise that goes as far. er-x2: "
            "replay of twice the weight, the second control where raw and evolved examples are "
            "replayed.",
            *_common(section),
            BRACKETS,
            *([INCOMPLETE] if any(map(_is_incomplete, section.all_groups)) else []),
        ],
    )


def _common(section: Section) -> list[str]:
    """What no label says, because all rows have it."""
    named = ", ".join(f"{name}={setting_text(value)}" for name, value in section.common.items())
    return [f"All rows, beside the protocol: {named}."] if named else []


def _result_cells(row: Row, *, twice: bool) -> list[Cell]:
    accuracy = row.accuracy
    deviation = accuracy.deviation
    reference = Cell("the reference") if row.is_reference else comparison_cell(row.to_reference)
    return [
        Cell(row.group.label),
        _seeds_cell(row.group),
        Cell(decimal(accuracy.mean), value=accuracy.mean),
        EMPTY if deviation is None else Cell(decimal(deviation), value=deviation),
        Cell(interval_text(accuracy), value=accuracy.low),
        spread_cell(row.forgetting),
        reference,
        comparison_cell(row.to_noise),
        *([comparison_cell(row.to_twice)] if twice else []),
        paper_cell(row.paper),
    ]


def _missing_cells(group: Group, width: int) -> list[Cell]:
    """A planned row: no number of ours, and the paper's if there is one."""
    first = [Cell(group.label), _seeds_cell(group), NOT_MEASURED]
    last = paper_cell(paper_accuracy(group))
    return [*first, *[EMPTY] * (width - len(first) - 1), last]


def _seeds_cell(group: Group) -> Cell:
    """How many are finished, and of how many if some are missing."""
    n = len(group.runs)
    return Cell(f"{n} of {group.planned_n}" if _is_incomplete(group) else str(n), value=n)


def _is_incomplete(group: Group) -> bool:
    return group.planned_n is not None and len(group.runs) < group.planned_n


def varied_table(section: Section, rows: Sequence[Row], field: str) -> Table | None:
    """Accuracy by the values of one setting; None unless some row has two of them."""
    families: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        others = {**row.group.config, "seed": None, field: None}
        families[json.dumps(others, sort_keys=True)].append(row)
    varied = [family for family in families.values() if len(family) > 1]
    if not varied:
        return None
    values = sorted({row.group.config[field] for family in varied for row in family})
    lines = []
    for family in varied:
        by_value = {row.group.config[field]: row for row in family}
        cells = [Cell(family[0].group.label_without(field))]
        for value in values:
            found = by_value.get(value)
            cells.append(EMPTY if found is None else _beside_paper(found))
        lines.append(cells)
    return Table(
        f"by-{field}",
        f"Accuracy % by {VARIED[field]}: {section.title}",
        [Column("method", numeric=False), *(Column(f"{field} {value}") for value in values)],
        lines,
        [f"Mean ± standard deviation (ddof 1), n seeds. {BRACKETS}"],
    )


def _beside_paper(row: Row) -> Cell:
    detail = f"n = {row.accuracy.n}"
    if row.paper is not None:
        detail += f"; paper {paper_cell(row.paper).text}"
    return Cell(spread_text(row.accuracy), detail, row.accuracy.mean)


def cost_table(section: Section, rows: Sequence[Row]) -> Table | None:
    """Time of a step relative to `er`; None if there is nothing to relate."""
    timed = [row for row in rows if row.cost is not None]
    if not any(not row.is_reference for row in timed):
        return None
    columns = [
        Column("method", numeric=False),
        Column("n (seeds in common)"),
        Column("milliseconds a step: mean ± sd"),
        Column("time relative to er: mean"),
        Column("95 % t-interval"),
        Column("by count of passes"),
        Column("paper"),
    ]
    return Table(
        "cost",
        f"Cost of a step: {section.title}",
        columns,
        [_cost_cells(row) for row in timed],
        [
            "CPU time of a step, divided by that of er with the same seed on the same kind of CPU. "
            "Runs that shared a machine with other work are not a fair clock: evoreplay bench "
            "times the steps in turns. By count of passes: what forward and backward passes "
            "predict. The paper does not say on which dataset it timed."
        ],
    )


def _cost_cells(row: Row) -> list[Cell]:
    cost, seconds = row.cost, row.seconds_per_step
    assert cost is not None
    assert seconds is not None
    predicted = row.predicted_cost
    milliseconds = seconds._replace(
        mean=1000 * seconds.mean,
        deviation=None if seconds.deviation is None else 1000 * seconds.deviation,
    )
    interval = "the reference" if row.is_reference else interval_text(cost, 2)
    return [
        Cell(row.group.label),
        Cell(str(cost.n), value=cost.n),
        spread_cell(milliseconds, 2),
        Cell(decimal(cost.mean, 2), value=cost.mean),
        Cell(interval, value=cost.low),
        EMPTY if predicted is None else Cell(decimal(predicted, 2), value=predicted),
        paper_cell(row.paper_cost, 1),
    ]

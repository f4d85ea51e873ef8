"""A table as plain text and numbers: every format writes the same one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from evoreplay.reports.comparisons import (
    NO_DIFFERENCE,
    Comparison,
    Measure,
    compare,
    final_accuracy,
)
from evoreplay.reports.groups import Group
from evoreplay.reports.paper_numbers import PaperNumber
from evoreplay.reports.statistics import Summary

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
Tone = Literal["", "higher", "lower", "none"]


@dataclass(frozen=True)
class Cell:
    """What stands in a cell."""

    text: str
    detail: str = ""
    """A second, smaller line."""
    value: float | None = None
    """By which it is sorted; by its text without one."""
    tone: Tone = ""


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    title: str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """Columns, rows and what to know of them."""

    name: str
    """For links and keys."""
    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    notes: list[str]


EMPTY = Cell(NOTHING)
NOT_MEASURED = Cell("not measured")


def explained(table: Table, letters: Mapping[str, str]) -> Table:
    """The same table; letters that stand for settings in its labels are told in its first notes."""
    labels = " ".join(row[0].text for row in table.rows)
    told = [f"({letter}): {text}" for letter, text in letters.items() if f"({letter})" in labels]
    return replace(table, notes=[*told, *table.notes])


def decimal(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """A number with a true minus; never a negative zero."""
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def interval_text(found: Summary, digits: int = 1, *, sign: bool = False) -> str:
    """`[low, high]`, or why there is none."""
    if found.low is None or found.high is None:
        return "one seed: no interval"
    low, high = decimal(found.low, digits, sign=sign), decimal(found.high, digits, sign=sign)
    return f"[{low}, {high}]"


def spread_text(found: Summary | None, digits: int = 1) -> str:
    """Mean and standard deviation."""
    if found is None:
        return NOTHING
    mean = decimal(found.mean, digits)
    return mean if found.deviation is None else f"{mean} ± {decimal(found.deviation, digits)}"


def spread_cell(found: Summary | None, digits: int = 1) -> Cell:
    """The same, sorted by the mean."""
    return EMPTY if found is None else Cell(spread_text(found, digits), value=found.mean)


def comparison_cell(comparison: Comparison | None) -> Cell:
    """The difference with its interval, and in words what it shows."""
    if comparison is None:
        return EMPTY
    difference = comparison.difference
    if difference is None:
        return Cell(NOTHING, f"{comparison.words} with {comparison.against}")
    numbers = f"{decimal(difference.mean, 2, sign=True)} {interval_text(difference, 2, sign=True)}"
    if comparison.words == NO_DIFFERENCE:
        words = f"{NO_DIFFERENCE} (to {comparison.against}, n = {difference.n})"
        return Cell(numbers, words, difference.mean, "none")
    words = f"{comparison.words} (n = {difference.n})"
    return Cell(numbers, words, difference.mean, "higher" if difference.mean > 0 else "lower")


def compared_cell(group: Group, other: Group | None, measure: Measure = final_accuracy) -> Cell:
    """A row against another; nothing where that one is not there or was not measured."""
    if other is None or not other.by_seed(measure):
        return EMPTY
    return comparison_cell(compare(group, other, measure))


def paper_cell(found: PaperNumber | None, digits: int = 1) -> Cell:
    """The paper's number; in brackets where the data are not the same."""
    if found is None:
        return EMPTY
    text = decimal(found.mean, digits)
    if found.deviation is not None:
        text += f" ± {decimal(found.deviation, digits)}"
    return Cell(text if found.full else f"({text})", value=found.mean)

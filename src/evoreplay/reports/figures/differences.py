"""Differences with their intervals beside a line at 0: what is shown, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evoreplay.reports.figures.axes import Frame, picture, tick_text, ticks
from evoreplay.reports.figures.colours import Style
from evoreplay.reports.html import Html, element
from evoreplay.reports.statistics import Summary

ROW = 34
LINE = 14
LONGEST = 54
"""Letters that fit into the width."""
WIDTH = 360
SIDE = 12
FOOT = 44


class Difference(NamedTuple):
    """One line of the chart."""

    label: str
    style: Style
    found: Summary
    words: str


def differences_chart(differences: Sequence[Difference], *, x_title: str, description: str) -> Html:
    """One interval for each row; those that cross 0 are hollow."""
    ends = [
        end
        for d in differences
        for end in (d.found.mean, d.found.low, d.found.high, 0.0)
        if end is not None
    ]
    # a name and its words in one line, or all in two
    lines = [[f"{d.label}: {d.words}"] for d in differences]
    if max(len(line) for (line,) in lines) > LONGEST:
        lines = [[shortened(d.label), shortened(d.words)] for d in differences]
    row = ROW + LINE * (len(lines[0]) - 1)
    margin = 0.04 * (max(ends) - min(ends)) or 1.0
    frame = Frame(
        width=WIDTH,
        height=len(differences) * row + FOOT,
        x_range=(min(ends) - margin, max(ends) + margin),
        y_range=(0, 1),
        left=SIDE,
        right=SIDE,
        top=2,
        bottom=FOOT,
    )
    base = frame.height - FOOT + 2
    parts = []
    for value in ticks(*frame.x_range, 6):
        place = round(frame.x(value), 1)
        zero = "zero" if value == 0 else "grid"
        parts.append(element("line", class_=zero, x1=place, x2=place, y1=2, y2=base))
        parts.append(element("text", tick_text(value), x=place, y=base + 15, text_anchor="middle"))
    middle = WIDTH / 2
    parts.append(
        element("text", x_title, class_="title", x=middle, y=frame.height - 8, text_anchor="middle")
    )
    for n, (difference, text) in enumerate(zip(differences, lines, strict=True)):
        parts.append(_row(frame, n * row, difference, text))
    return picture(frame, description, *parts)


def shortened(text: str) -> str:
    """As much as fits."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _row(frame: Frame, top: float, difference: Difference, lines: Sequence[str]) -> Html:
    found = difference.found
    assert found.low is not None
    assert found.high is not None
    y = top + 10 + LINE * len(lines)
    names = [
        element("text", text, x=SIDE, y=top + LINE * (n + 1), class_="over-lines")
        for n, text in enumerate(lines)
    ]
    line = element(
        "line",
        class_="interval",
        x1=round(frame.x(found.low), 1),
        x2=round(frame.x(found.high), 1),
        y1=y,
        y2=y,
    )
    hollow = "" if found.excludes_zero else " hollow"
    dot = element("circle", class_=f"dot{hollow}", cx=round(frame.x(found.mean), 1), cy=y, r=4)
    return element("g", line, *names, dot, class_=f"s{difference.style.colour}")

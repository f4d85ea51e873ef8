"""The accuracy matrix as a table of coloured numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from evoreplay.reports.figures.colours import HEAT, mixed, readable_on
from evoreplay.reports.html import Html, element
from evoreplay.reports.results import Matrix

FEW = 10
"""So many columns have room for large numbers."""


def mean_matrix(matrices: Sequence[Matrix]) -> Matrix | None:
    """The mean over seeds; None where one has no value, and if their shapes differ."""
    shapes = {tuple(len(row) for row in matrix) for matrix in matrices}
    if len(shapes) != 1 or shapes == {()}:
        return None
    return [
        [_mean(values) for values in zip(*rows, strict=True)]
        for rows in zip(*matrices, strict=True)
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def matrix_table(matrix: Matrix, caption: str) -> Html:
    """Rows are segments, columns the moments of measurement; numbers in percent."""
    moments = max(len(row) for row in matrix)
    head = element(
        "tr",
        element("th", "" if moments > FEW else "segment", scope="col"),
        *(element("th", f"{n + 1}", scope="col") for n in range(moments)),
    )
    body = [
        element("tr", element("th", f"{n + 1}", scope="row"), *(_cell(value) for value in row))
        for n, row in enumerate(matrix)
    ]
    return element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", *body),
        class_="heat small" if moments > FEW else "heat",
    )


def _cell(value: float | None) -> Html:
    if value is None:
        return element("td")
    colour = mixed(HEAT, value)
    style = f"background:{colour};color:{readable_on(colour)}"
    return element("td", f"{100 * value:.0f}", style=style)

"""Colours and names of classes: ten have colours of their own, more lie along a ramp."""

from __future__ import annotations

from evoreplay.reports.figures.colours import RAMP, mixed
from evoreplay.reports.html import Html, element

OWN_COLOURS = 10
SPARE = ("#8c9096", "#968d00")
"""The ninth and tenth class; the first eight have the colours of the series."""


def class_colour(label: int, classes: int) -> str:
    """A CSS colour."""
    if classes > OWN_COLOURS:
        return mixed(RAMP, label / (classes - 1))
    return f"var(--s{label})"


def class_legend(classes: int) -> Html:
    """Which colour is which class."""
    if classes > OWN_COLOURS:
        ends = element("span", "class 0"), element("span", f"class {classes - 1}")
        ramp = f"background:linear-gradient(90deg,{','.join(RAMP)})"
        bar = element("span", class_="ramp", style=ramp)
        return element("p", ends[0], bar, ends[1], class_="legend")
    items = [
        element(
            "li",
            element("span", class_="patch", style=f"background:{class_colour(label, classes)}"),
            element("span", f"class {label}"),
        )
        for label in range(classes)
    ]
    return element("ul", *items, class_="legend")

"""The memory's features on a map (t-SNE), coloured by class."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from evoreplay.reports.figures.classes import OWN_COLOURS, class_colour
from evoreplay.reports.html import Html, element

SIDE = 200
MARGIN = 8


def memory_map(
    points: Sequence[tuple[float, float]], labels: Sequence[int], classes: int, description: str
) -> Html:
    """A dot for each example; with few classes, their numbers stand at their centres.

    The axes of such a map have no unit: only who is near whom means something.
    """
    places = _fitted(points)
    dots, names = [], []
    for label in sorted(set(labels)):
        own = [p for p, other in zip(places, labels, strict=True) if other == label]
        path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in own)
        dots.append(
            element("path", d=path, class_="dots", style=f"stroke:{class_colour(label, classes)}")
        )
        if classes <= OWN_COLOURS:
            x, y = (median(p[axis] for p in own) for axis in (0, 1))
            names.append(
                element("text", str(label), x=round(x), y=round(y) + 4, class_="over-dots")
            )
    return element(
        "svg",
        *dots,
        *names,
        viewBox=f"0 0 {SIDE} {SIDE}",
        role="img",
        aria_label=description,
        class_="map",
    )


def _fitted(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Into the square, both axes on one scale."""
    lows = [min(p[axis] for p in points) for axis in (0, 1)]
    highs = [max(p[axis] for p in points) for axis in (0, 1)]
    widest = max(high - low for low, high in zip(lows, highs, strict=True)) or 1.0
    scale = (SIDE - 2 * MARGIN) / widest
    shifts = [(SIDE - scale * (high + low)) / 2 for low, high in zip(lows, highs, strict=True)]
    return [(shifts[0] + scale * x, shifts[1] + scale * y) for x, y in points]

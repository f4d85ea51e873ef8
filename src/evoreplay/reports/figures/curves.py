"""Lines over an axis, each with a band: mean and 95 % interval over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evoreplay.reports.figures.axes import Frame, picture, tick_text, ticks
from evoreplay.reports.figures.colours import Style
from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.statistics import Summary, summary

DIRECT_LABELS = 5
LONGEST_DIRECT_LABEL = 12
LETTER = 7.0
"""Width of a letter in the units of the chart."""
LINE = 13


@dataclass(frozen=True)
class Curve:
    """One line."""

    label: str
    style: Style
    x: tuple[float, ...]
    y: tuple[Summary, ...]
    """At each x; without an interval there is no band."""


def mean_curve(
    label: str, style: Style, curves: Sequence[Mapping[float, float]], *, scale: float = 100
) -> Curve | None:
    """The mean over seeds, at the places that all of them have; None if there is none."""
    if not curves:
        return None
    common = sorted(set.intersection(*(set(curve) for curve in curves)))
    if not common:
        return None
    means = tuple(summary([scale * curve[x] for curve in curves]) for x in common)
    return Curve(label, style, tuple(common), means)


def curves_chart(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str,
    description: str,
    bands: bool = True,
    width: float = 440,
    height: float = 270,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = (0, 100),
) -> Html:
    """The chart, with labels at the ends of few lines and a legend below many.

    Without a `y_range` it has room for all means and for 0 (`room_for`).
    """
    direct = len(curves) <= DIRECT_LABELS and all(
        len(curve.label) <= LONGEST_DIRECT_LABEL for curve in curves
    )
    longest = max(len(curve.label) for curve in curves)
    y_range = y_range or room_for(curves)
    frame = Frame(
        width=width,
        height=height,
        x_range=x_range or _range_of(curves),
        y_range=y_range,
        left=23 + LETTER * max(3, *(len(tick_text(value)) for value in ticks(*y_range, 5))),
        right=longest * LETTER + 10 if direct else 12,
    )
    drawn = [_band(frame, curve) for curve in curves] if bands else []
    drawn += [_line(frame, curve) for curve in curves]
    labels = _direct_labels(frame, curves) if direct else Html("")
    chart = picture(frame, description, frame.axes(x_title, y_title), *drawn, labels)
    return chart if direct else joined(chart, legend([(c.label, c.style) for c in curves]))


def legend(entries: Sequence[tuple[str, Style]]) -> Html:
    """A piece of each line with its name, below the chart."""
    items = [
        element("li", _swatch(style), element("span", label), class_=f"s{style.colour}")
        for label, style in entries
    ]
    return element("ul", *items, class_="legend")


def _swatch(style: Style) -> Html:
    line = element("line", class_="line", x1=0, x2=26, y1=5, y2=5, stroke_dasharray=style.dash)
    return element("svg", line, viewBox="0 0 26 10", width=26, height=10, aria_hidden="true")


def _range_of(curves: Sequence[Curve]) -> tuple[float, float]:
    return min(0, *(c.x[0] for c in curves)), max(c.x[-1] for c in curves)


def room_for(curves: Sequence[Curve], *, stretch: float = 0.0) -> tuple[float, float]:
    """From the lowest mean or 0 to the highest or 0, with a margin.

    Bands make each side longer by `stretch` times the room of the means at the most: those of few
    seeds may be very wide. Values that are never below 0 have 0 as their end.
    """
    points = [s for curve in curves for s in curve.y]
    means = [0.0, *(s.mean for s in points)]
    span = max(means) - min(means)
    margin = 0.15 * span or 1.0
    lows = [s.low for s in points if s.low is not None]
    highs = [s.high for s in points if s.high is not None]
    low = max(min([*means, *lows]), min(means) - stretch * span)
    high = min(max([*means, *highs]), max(means) + stretch * span)
    return low - margin if low < 0 else 0.0, high + margin


def _line(frame: Frame, curve: Curve) -> Html:
    return element(
        "polyline",
        class_=f"line s{curve.style.colour}",
        points=frame.points(curve.x, [s.mean for s in curve.y]),
        stroke_dasharray=curve.style.dash,
    )


def _band(frame: Frame, curve: Curve) -> Html:
    known = [
        (x, s.low, s.high)
        for x, s in zip(curve.x, curve.y, strict=True)
        if s.low is not None and s.high is not None
    ]
    if not known:
        return Html("")
    low, high = frame.y_range
    xs = [x for x, _, _ in known]
    lower = [min(max(value, low), high) for _, value, _ in known]
    upper = [min(max(value, low), high) for _, _, value in known]
    return element(
        "polygon",
        class_=f"band s{curve.style.colour}",
        points=f"{frame.points(xs, upper)} {frame.points(xs[::-1], lower[::-1])}",
    )


def _direct_labels(frame: Frame, curves: Sequence[Curve]) -> Html:
    wanted = [frame.y(curve.y[-1].mean) for curve in curves]
    places = spread(wanted, LINE, frame.top + 4, frame.height - frame.bottom)
    end = frame.width - frame.right
    parts = []
    for curve, at, place in zip(curves, wanted, places, strict=True):
        style = f"s{curve.style.colour}"
        last = frame.x(curve.x[-1])
        leader = f"{last:.1f},{at:.1f} {end + 6:.1f},{place:.1f}"
        parts.append(element("polyline", class_=f"leader {style}", points=leader))
        parts.append(element("text", curve.label, x=round(end + 8, 1), y=round(place + 4, 1)))
    return joined(*parts)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, in their order, at least `gap` apart and within [low, high]."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    places = [0.0] * len(wanted)
    before = low - gap
    for n in order:
        before = places[n] = max(wanted[n], before + gap)
    after = high + gap
    for n in reversed(order):
        after = places[n] = min(places[n], after - gap)
    return places

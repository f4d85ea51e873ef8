"""Axes of a chart: ticks at round numbers, titles with units, and where a value lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evoreplay.reports.html import Html, element, joined

GAP = 5
"""Between an axis and its numbers."""


@dataclass(frozen=True)
class Frame:
    """The plane of a chart: values to places in the picture."""

    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float = 44
    right: float = 12
    top: float = 10
    bottom: float = 40

    def x(self, value: float) -> float:
        """From the left."""
        low, high = self.x_range
        share = (value - low) / (high - low) if high > low else 0.5
        return self.left + share * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """From the top."""
        low, high = self.y_range
        share = (value - low) / (high - low) if high > low else 0.5
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        """Places as in `points` of a polyline."""
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))

    def axes(self, x_title: str, y_title: str) -> Html:
        """Lines, ticks and titles."""
        base, end = self.height - self.bottom, self.width - self.right
        parts = []
        for value in ticks(*self.y_range, 5):
            place = self.y(value)
            parts.append(
                element("line", class_="grid", x1=self.left, x2=end, y1=_r(place), y2=_r(place))
            )
            parts.append(_text(tick_text(value), self.left - GAP, place + 4, anchor="end"))
        room = max(2, int((end - self.left) / 45))
        for value in ticks(*self.x_range, room):
            place = self.x(value)
            parts.append(
                element("line", class_="axis", x1=_r(place), x2=_r(place), y1=base, y2=base + 4)
            )
            parts.append(_text(tick_text(value), place, base + 16))
        parts.append(element("line", class_="axis", x1=self.left, x2=end, y1=base, y2=base))
        parts.append(_text(x_title, (self.left + end) / 2, self.height - 6, title=True))
        middle = (self.top + base) / 2
        turned = f"rotate(-90 11 {_r(middle)})"
        parts.append(_text(y_title, 11, middle, title=True, transform=turned))
        return joined(*parts)


def picture(frame: Frame, description: str, *children: str) -> Html:
    """The SVG around a chart; the description is read aloud."""
    return element(
        "svg",
        *children,
        viewBox=f"0 0 {_r(frame.width)} {_r(frame.height)}",
        role="img",
        aria_label=description,
        class_="chart",
    )


def ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers in [low, high], about so many, 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        return [low]
    raw = (high - low) / max(1, about)
    power: float = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]


def axis_room(largest: float) -> float:
    """The left margin that numbers up to this one and a title need."""
    return 23 + 7 * max(3, len(str(int(largest))))


def tick_text(value: float) -> str:
    """Short, with a true minus."""
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def _text(
    content: str,
    x: float,
    y: float,
    *,
    anchor: str = "middle",
    title: bool = False,
    transform: str | None = None,
) -> Html:
    return element(
        "text",
        content,
        x=_r(x),
        y=_r(y),
        text_anchor=anchor,
        class_="title" if title else None,
        transform=transform,
    )


def _r(value: float) -> float:
    return round(value, 1)

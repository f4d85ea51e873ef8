"""Colours: a method has the same one on the whole page, and no two look alike to the colour-blind.

The eight were searched for the largest least distance (CIELAB) under normal vision, protanopia and
deuteranopia (Machado et al. 2009), with a contrast to the page of at least 3 for lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evoreplay.reports.groups import method_order

PAPER, INK = "#ffffff", "#1d2026"
"""Page and text by day."""
DARK_PAPER, DARK_INK = "#14171c", "#e8e8e6"
"""Page and text by night."""
SERIES = ("#30343b", "#007fff", "#ff4000", "#0ba28e", "#c84cb4", "#673600", "#cb3a4b", "#502eff")
DARK_SERIES = (
    *("#e8e8e6", "#53a1f8", "#ffaf69", "#2c9c70", "#bb549d", "#d2db1e", "#e6291f", "#8954ff"),
)
DASHES = (None, "6 3", "2 3", "9 3 2 3")
DASHED = "5 3"
"""The second of two lines of one row."""
RAMP = ("#fde725", "#5ec962", "#21918c", "#3b528b", "#440154")
"""From early classes to late ones where there are too many for colours of their own (viridis)."""
HEAT = ("#f4f7fb", "#9ecae1", "#2b7bba", "#08306b")
"""From 0 to 1."""


class Style(NamedTuple):
    """How a line is drawn."""

    colour: int
    """An index of `SERIES`."""
    dash: str | None


def styles_of(rows: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Style]:
    """A style for each (method, label): the colour is the method's, dashes tell its rows apart.

    `er`, which all are compared with, has the colour of the text.
    """
    rows = list(dict.fromkeys(rows))
    methods = sorted({method for method, _ in rows} - {"er"}, key=method_order)
    others = len(SERIES) - 1
    found: dict[tuple[str, str], Style] = {}
    labels: dict[str, list[str]] = {}
    for method, label in rows:
        own = labels.setdefault(method, [])
        own.append(label)
        index = 0 if method == "er" else 1 + methods.index(method) % others
        round_of_colours = 0 if method == "er" else methods.index(method) // others
        dash = DASHES[(round_of_colours + len(own) - 1) % len(DASHES)]
        found[method, label] = Style(index, dash)
    return found


def mixed(ramp: tuple[str, ...], share: float) -> str:
    """The colour at a share of the way along a ramp."""
    place = min(max(share, 0.0), 1.0) * (len(ramp) - 1)
    index = min(int(place), len(ramp) - 2)
    low, high = _channels(ramp[index]), _channels(ramp[index + 1])
    between = (a + (b - a) * (place - index) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{round(value):02x}" for value in between)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, from 1 to 21 (WCAG 2.1)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable_on(background: str) -> str:
    """Black or white, whichever is read better."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, background))


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

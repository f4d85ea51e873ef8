"""Curves of a section: all rows as lines in one chart, then each row beside its `er` with bands.

Bands of many rows in one chart would hide each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from evoreplay.reports.attack_tables import pgd_curves, pgd_settings
from evoreplay.reports.comparisons import reference_of
from evoreplay.reports.figures.curves import Curve, curves_chart, mean_curve
from evoreplay.reports.groups import Group, Section, shown_groups
from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.robustness import eps_text
from evoreplay.reports.section_figures import Styles, block, figure, left_out_note, style_of

MOST_PANELS = 24
STREAM_AXIS = "batch of the stream"
BANDS = (
    "Bands are 95 % t-intervals of the mean over seeds at each point, cut at the ends of the axis; "
    "one seed has none."
)


class Chart(NamedTuple):
    """What is drawn of each run of a row."""

    title: str
    x_title: str
    y_title: str
    curves_of: Callable[[Group], Sequence[Mapping[float, float]]]
    """Values by x, one curve for each seed that has it."""
    scale: float = 100
    """From values to the unit of the axis."""
    y_range: tuple[float, float] | None = (0, 100)
    """Without one, as much as the means need."""


class Panel(NamedTuple):
    """A small chart of one row."""

    curves: Sequence[Curve]
    caption: str
    description: str
    y_range: tuple[float, float] | None = (0, 100)


def anytime_figures(section: Section, styles: Styles) -> Html | None:
    """Accuracy along the stream."""
    chart = Chart("Accuracy along the stream", STREAM_AXIS, "accuracy %", _anytime)
    drawn = overview_and_panels(chart, section.groups, styles)
    note = f"Accuracy on validation examples of the classes seen so far. {BANDS}"
    return None if drawn is None else block(chart.title, note, drawn)


def robustness_figures(section: Section, styles: Styles) -> Html | None:
    """Accuracy by the strength of an attack, and under attack along the stream."""
    charts = [
        Chart(
            f"Projected gradient attack: {settings}",
            "eps, in 1/255 of the pixel range",
            "accuracy %",
            partial(_by_eps, settings=settings),
        )
        for settings in pgd_settings(section.groups)
    ]
    charts += [
        Chart(
            f"Attacked along the stream, eps {eps_text(eps)}",
            STREAM_AXIS,
            "accuracy % under attack",
            partial(_along_stream, eps=eps),
        )
        for eps in _strengths(section.groups)
    ]
    fitted = [chart._replace(y_range=accuracy_range(chart, section.groups)) for chart in charts]
    drawn = [overview_and_panels(chart, section.groups, styles) for chart in fitted]
    parts = [part for part in drawn if part is not None]
    return block("Robustness", BANDS, joined(*parts)) if parts else None


def accuracy_range(chart: Chart, groups: Sequence[Group]) -> tuple[float, float]:
    """From 0 to the next ten above the highest run: under attack little is left to see."""
    highest = max(y for g in groups for curve in chart.curves_of(g) for y in curve.values())
    return 0, min(100, 10 * (math.floor(chart.scale * highest / 10) + 1))


def overview_and_panels(chart: Chart, groups: Sequence[Group], styles: Styles) -> Html | None:
    """The lines of all rows, then each row with its band; None if no row has a curve."""
    found = {group: chart.curves_of(group) for group in groups}
    curves: dict[Group, Curve] = {}
    for group, shares in found.items():
        style = style_of(group, styles)
        curve = mean_curve(group.label, style, shares, scale=chart.scale)
        if curve is not None:
            curves[group] = curve
    if not curves:
        return None
    together = [curves[group] for group in shown_groups(list(curves))]
    overview = curves_chart(
        together,
        x_title=chart.x_title,
        y_title=chart.y_title,
        description=f"{chart.title}: means of {', '.join(c.label for c in together)}",
        bands=False,
        y_range=chart.y_range,
    )
    caption = f"{chart.title}: means over seeds." + left_out_note(len(together), len(curves))
    panels = []
    for group, curve in curves.items():
        reference = reference_of(group, list(curves))
        beside = [] if reference is None else [curves[reference]]
        caption_of_panel = f"{group.label}, n = {len(found[group])}"
        description = f"{chart.title}: {group.label} with its 95 % interval"
        panels.append(Panel([*beside, curve], caption_of_panel, description, chart.y_range))
    return joined(
        figure(overview, caption, kind="wide"),
        panel_grid(panels, x_title=chart.x_title, y_title=chart.y_title),
    )


def panel_grid(panels: Sequence[Panel], *, x_title: str, y_title: str) -> Html:
    """Small charts side by side, with a note if there are more than are shown."""
    shown = [
        figure(
            curves_chart(
                panel.curves,
                x_title=x_title,
                y_title=y_title,
                description=panel.description,
                width=330,
                height=220,
                y_range=panel.y_range,
            ),
            panel.caption,
        )
        for panel in panels[:MOST_PANELS]
    ]
    left_out = left_out_note(len(shown), len(panels))
    return joined(
        element("div", *shown, class_="grid"),
        element("p", left_out, class_="note") if left_out else None,
    )


def _anytime(group: Group) -> list[dict[float, float]]:
    return [
        {float(batch): accuracy for batch, accuracy in run.anytime.items()}
        for run in group.runs
        if run.anytime
    ]


def _by_eps(group: Group, settings: str) -> list[dict[float, float]]:
    return [
        {255 * eps: accuracy for eps, accuracy in curve.items()}
        for curve in pgd_curves(group, settings)
    ]


def _strengths(groups: Sequence[Group]) -> list[float]:
    return sorted(
        {
            eps
            for group in groups
            for run in group.runs
            if run.robustness is not None
            for eps in run.robustness.along_stream
        }
    )


def _along_stream(group: Group, eps: float) -> list[dict[float, float]]:
    attacked = [run.robustness.along_stream for run in group.runs if run.robustness is not None]
    return [
        {float(batch): moment.accuracy for batch, moment in moments[eps].items()}
        for moments in attacked
        if eps in moments
    ]

"""Whether the memory is learned by heart: its own loss, and its accuracy beside that of others."""

from __future__ import annotations

from collections.abc import Sequence

from evoreplay.reports.curve_figures import (
    BANDS,
    STREAM_AXIS,
    Chart,
    Panel,
    overview_and_panels,
    panel_grid,
)
from evoreplay.reports.figures.colours import DASHED
from evoreplay.reports.figures.curves import Curve, mean_curve
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.memory_numbers import accuracy_on_past
from evoreplay.reports.section_figures import Styles, block, style_of

NOTE = (
    "Above: mean cross-entropy of the examples in memory, not evolved, along the stream. Below: "
    "accuracy on the examples in memory (full line) and on all test examples of the segments seen "
    "so far, at the ends of segments (dashed line). The wider the gap between them, the more the "
    f"memory is learned by heart. {BANDS}"
)


def by_heart_figures(section: Section, styles: Styles) -> Html | None:
    """None if no run has measured it."""
    chart = Chart(
        "Loss of the memory", STREAM_AXIS, "mean cross-entropy", _losses, scale=1, y_range=None
    )
    losses = overview_and_panels(chart, section.groups, styles)
    gaps = _gaps(section.groups, styles)
    if losses is None and gaps is None:
        return None
    return block("Is the memory learned by heart?", NOTE, joined(losses, gaps))


def _gaps(groups: Sequence[Group], styles: Styles) -> Html | None:
    found = [(group, curves) for group in groups if (curves := gap_curves(group, styles))]
    if not found:
        return None
    panels = [
        Panel(
            curves,
            f"{group.label}, n = {curves[0].y[0].n}",
            f"Accuracy of {group.label} on its memory and on test examples",
        )
        for group, curves in found
    ]
    return joined(
        element("h4", "Accuracy on memory and on test examples"),
        panel_grid(panels, x_title=STREAM_AXIS, y_title="accuracy %"),
    )


def gap_curves(group: Group, styles: Styles) -> list[Curve]:
    """Accuracy on memory, and on test examples of what was seen; empty without the first."""
    style = style_of(group, styles)
    measured = [run for run in group.runs if run.memory.known]
    known = [
        {float(b): m.accuracy for b, m in run.memory.known.items() if m.accuracy is not None}
        for run in measured
    ]
    tested = [{float(b): v for b, v in accuracy_on_past(run).items()} for run in measured]
    memory = mean_curve("memory", style._replace(dash=None), known)
    test = mean_curve("test", style._replace(dash=DASHED), tested)
    return [] if memory is None else [memory, *([] if test is None else [test])]


def _losses(group: Group) -> list[dict[float, float]]:
    found = [
        {float(b): m.loss for b, m in run.memory.known.items() if m.loss is not None}
        for run in group.runs
    ]
    return [curve for curve in found if curve]

"""How far raw and evolved memory are from all past data, at three moments of the stream."""

from __future__ import annotations

from collections.abc import Sequence

from evoreplay.reports.curve_figures import BANDS, STREAM_AXIS, Panel, panel_grid
from evoreplay.reports.figures.colours import DASHED, Style
from evoreplay.reports.figures.curves import Curve, mean_curve, room_for
from evoreplay.reports.groups import Group
from evoreplay.reports.html import Html
from evoreplay.reports.rows import Row
from evoreplay.reports.section_figures import Styles, block, style_of

RAW = "raw"
EVOLVED = "evolved"
NOTE = (
    "Squared maximum mean discrepancy between features of memory examples and of examples of all "
    "past data, whether memory kept them or not (none is compared with itself): 0 if memory stands "
    "for the past perfectly, below 0 by chance. Dashed: the memory as it is. Full line: the same "
    "examples after evolution, as they are replayed. Whether evolution brings the memory nearer to "
    "the past or takes it away is what the caption says, from the end of the stream, paired by "
    "seed. Each network has features of its own, so heights of two pictures cannot be compared. "
    f"{BANDS}"
)


def distance_figures(rows: Sequence[Row], styles: Styles) -> Html | None:
    """A picture for each row; None if no run has measured it."""
    found = [(row, curves) for row in rows if (curves := distance_curves(row.group, styles))]
    if not found:
        return None
    panels = [
        Panel(
            curves,
            caption(row, curves[0].y[0].n),
            f"Distance of the memory of {row.group.label} to all past data",
            room_for(curves, stretch=1.0),
        )
        for row, curves in found
    ]
    content = panel_grid(panels, x_title=STREAM_AXIS, y_title="squared discrepancy")
    return block("Distance of the memory to all past data", NOTE, content)


def caption(row: Row, n: int) -> str:
    """The row, and in words what its interval shows."""
    words = row.memory.farther_words
    return f"{row.group.label}, n = {n}" + ("" if words is None else f": {words}")


def distance_curves(group: Group, styles: Styles) -> list[Curve]:
    """Raw and, with a flow, evolved; empty if nothing was measured."""
    style = style_of(group, styles)
    moments = [run.memory.distance for run in group.runs if run.memory.distance]
    raw = [{float(b): m.raw for b, m in run.items() if m.raw is not None} for run in moments]
    evolved = [
        {float(b): m.evolved for b, m in run.items() if m.evolved is not None} for run in moments
    ]
    # the colour of the text: what is common to all rows
    curves = [
        mean_curve(RAW, Style(0, DASHED), raw, scale=1),
        mean_curve(EVOLVED, style._replace(dash=None), evolved, scale=1),
    ]
    return [curve for curve in curves if curve is not None]

"""The charts of a section that are drawn from numbers of all its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evoreplay.reports.attack_tables import eps_text, pgd_curves, pgd_settings
from evoreplay.reports.comparisons import reference_of
from evoreplay.reports.figures.balance import balance_chart, mean_balance
from evoreplay.reports.figures.classes import class_legend
from evoreplay.reports.figures.colours import Style
from evoreplay.reports.figures.curves import Curve, curves_chart, mean_curve
from evoreplay.reports.figures.differences import Difference, differences_chart
from evoreplay.reports.figures.matrix import FEW, matrix_table, mean_matrix
from evoreplay.reports.groups import MOST_ROWS, Group, Section, shown_groups
from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.rows import Row

MOST_PANELS = 24
STREAM_AXIS = "batch of the stream"
Styles = Mapping[tuple[str, str], Style]


def left_out_note(shown: int, there: int) -> str:
    """That not all are shown, if so."""
    return "" if shown == there else f" {shown} of {there} rows are shown."


def figure(content: Html, caption: str, *, kind: str = "") -> Html:
    """A picture with what it shows."""
    return element("figure", element("figcaption", caption), content, class_=kind or None)


def block(title: str, note: str, content: Html) -> Html:
    """A part of a section."""
    return element("section", element("h3", title), element("p", note, class_="note"), content)


def difference_figures(rows: Sequence[Row], styles: Styles) -> Html | None:
    """Intervals of the differences to `er` and to the controls."""
    charts = []
    for name, comparisons in (
        ("er", [row.to_reference for row in rows]),
        ("the noise control", [row.to_noise for row in rows]),
        ("er-x2", [row.to_twice for row in rows]),
    ):
        entries = [
            Difference(row.group.label, _style(row.group, styles), found.difference, found.words)
            for row, found in zip(rows, comparisons, strict=True)
            if found is not None and found.difference is not None and not _is_bound(row.group)
        ]
        if entries:
            chart = differences_chart(
                entries,
                x_title="percentage points of final accuracy",
                description=f"Paired differences to {name} with 95 % intervals",
            )
            charts.append(figure(chart, f"Difference to {name}"))
    if not charts:
        return None
    note = (
        "Mean difference over seeds in common with its 95 % paired t-interval. A hollow dot: the "
        "interval contains 0, no difference is shown. Methods without a memory are bounds: they "
        "are in the table only."
    )
    return block("Differences, paired by seed", note, element("div", *charts, class_="grid"))


def anytime_figures(section: Section, styles: Styles) -> Html | None:
    """Accuracy along the stream: all rows as lines, then each row beside its `er` with bands."""
    curves: dict[str, Curve] = {}
    for group in section.groups:
        found = [{float(b): a for b, a in run.anytime.items()} for run in group.runs if run.anytime]
        curve = mean_curve(group.label, _style(group, styles), found)
        if curve is not None:
            curves[group.label] = curve
    if not curves:
        return None
    overview = [
        curves[group.label] for group in shown_groups(section.groups) if group.label in curves
    ]
    description = f"Accuracy along the stream of {', '.join(c.label for c in overview)}"
    wide = figure(
        curves_chart(
            overview,
            x_title=STREAM_AXIS,
            y_title="accuracy %",
            description=description,
            bands=False,
        ),
        "Means over seeds." + left_out_note(len(overview), len(curves)),
        kind="wide",
    )
    panels: list[Html] = []
    for group in section.groups:
        reference = reference_of(group, section.groups)
        if group.label not in curves or len(panels) == MOST_PANELS:
            continue
        beside = [] if reference is None else [curves[reference.label]]
        beside = [curve for curve in beside if curve.label in curves]
        chart = curves_chart(
            [*beside, curves[group.label]],
            x_title=STREAM_AXIS,
            y_title="accuracy %",
            description=f"Accuracy of {group.label} along the stream with its 95 % interval",
            width=330,
            height=220,
        )
        panels.append(figure(chart, f"{group.label}, n = {len(group.runs)}"))
    note = (
        "Accuracy on validation examples of the classes seen so far. Bands are 95 % t-intervals of "
        "the mean over seeds at each moment; one seed has none."
        + left_out_note(len(panels), len(curves))
    )
    content = joined(wide, element("div", *panels, class_="grid"))
    return block("Accuracy along the stream", note, content)


def matrix_figures(section: Section) -> Html | None:
    """Accuracy on each segment after each segment, mean over seeds."""
    found = [
        (group, matrix)
        for group in section.groups
        if (matrix := mean_matrix([run.matrix for run in group.runs])) is not None
    ]
    shown = shown_groups([group for group, _ in found])
    tables = [
        element(
            "div",
            matrix_table(matrix, f"{group.label}, mean of n = {len(group.runs)}"),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=f"accuracy matrix of {group.label}",
        )
        for group, matrix in found
        if group in shown
    ]
    if not tables:
        return None
    note = (
        "Test accuracy in % on each segment of the stream (rows) after learning each segment "
        "(columns), mean over seeds. The diagonal is what was just learned; along a row one sees "
        "it being forgotten." + left_out_note(len(tables), len(found))
    )
    widest = max(len(row) for _, matrix in found for row in matrix)
    columns = "grid" if widest <= FEW else "two"
    return block("Accuracy matrix", note, element("div", *tables, class_=columns))


def balance_figures(section: Section) -> Html | None:
    """Classes in memory over time; rows with the same memory share a picture."""
    pictures: dict[str, tuple[Html, list[str]]] = {}
    classes = 0
    for group in section.groups:
        balance = mean_balance([run.balance for run in group.runs])
        if not balance:
            continue
        classes = len(next(iter(balance.values())))
        chart = balance_chart(balance, "Examples of each class in memory along the stream")
        pictures.setdefault(chart, (chart, []))[1].append(group.label)
    if not pictures:
        return None
    shown = list(pictures.values())[:MOST_ROWS]
    figures = [figure(chart, ", ".join(labels)) for chart, labels in shown]
    note = (
        "How many examples of each class the memory holds, mean over seeds. Rows that fill their "
        "memory alike share a picture."
    )
    if len(shown) < len(pictures):
        note += f" {len(shown)} of {len(pictures)} pictures are shown."
    content = joined(class_legend(classes), element("div", *figures, class_="grid"))
    return block("Class balance of the memory", note, content)


def robustness_figures(section: Section, styles: Styles) -> Html | None:
    """Accuracy by the strength of an attack, and along the stream."""
    figures = []
    shown = shown_groups(section.groups)
    for settings in pgd_settings(section.groups):
        curves = [
            curve
            for group in shown
            if (
                curve := mean_curve(
                    group.label,
                    _style(group, styles),
                    [{255 * eps: a for eps, a in c.items()} for c in pgd_curves(group, settings)],
                )
            )
            is not None
        ]
        chart = curves_chart(
            curves,
            x_title="eps, in 1/255 of the pixel range",
            y_title="accuracy %",
            description="Accuracy under projected gradient attack by eps",
        )
        figures.append(figure(chart, f"Projected gradient attack: {settings}"))
    figures += _along_stream(shown, styles)
    if not figures:
        return None
    note = "Mean over seeds with 95 % t-intervals." + left_out_note(len(shown), len(section.groups))
    return block("Robustness", note, element("div", *figures, class_="grid"))


def _along_stream(groups: Sequence[Group], styles: Styles) -> list[Html]:
    attacked = {
        group: [r.robustness.along_stream for r in group.runs if r.robustness is not None]
        for group in groups
    }
    strengths = sorted({eps for runs in attacked.values() for run in runs for eps in run})
    figures = []
    for eps in strengths:
        curves = [
            curve
            for group, runs in attacked.items()
            if (
                curve := mean_curve(
                    group.label,
                    _style(group, styles),
                    [{float(b): m.accuracy for b, m in r[eps].items()} for r in runs if eps in r],
                )
            )
            is not None
        ]
        chart = curves_chart(
            curves,
            x_title=STREAM_AXIS,
            y_title="accuracy % under attack",
            description="Accuracy under attack along the stream",
        )
        figures.append(figure(chart, f"Along the stream, eps {eps_text(eps)}"))
    return figures


def _is_bound(group: Group) -> bool:
    """Its distance would flatten all other differences."""
    return group.known_method is not None and group.known_method.kind == "fine-tuning"


def _style(group: Group, styles: Styles) -> Style:
    return styles[group.method, group.label]

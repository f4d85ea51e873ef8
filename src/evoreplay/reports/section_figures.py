"""The charts of a section that are drawn from numbers of all its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evoreplay.reports.figures.balance import balance_chart, mean_balance
from evoreplay.reports.figures.classes import class_legend
from evoreplay.reports.figures.colours import Style
from evoreplay.reports.figures.differences import Difference, differences_chart
from evoreplay.reports.figures.matrix import FEW, matrix_table, mean_matrix
from evoreplay.reports.groups import MOST_ROWS, Group, Section, shown_groups
from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.rows import Row

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
            Difference(row.group.label, style_of(row.group, styles), found.difference, found.words)
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


def _is_bound(group: Group) -> bool:
    """Its distance would flatten all other differences."""
    return group.known_method is not None and group.known_method.kind == "fine-tuning"


def style_of(group: Group, styles: Styles) -> Style:
    """How the lines of a row are drawn, everywhere on the page."""
    return styles[group.method, group.label]

"""A table in HTML that is sorted by a click on a head; `page.js` does it."""

from __future__ import annotations

from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.tables import Cell, Column, Table


def sorted_table(table: Table) -> Html:
    """A table that is sorted by a click on a head, in a box that scrolls by itself."""
    head = element("tr", *(_head_cell(column) for column in table.columns))
    rows = [
        element("tr", *map(_cell, row, table.columns, [True, *[False] * (len(row) - 1)]))
        for row in table.rows
    ]
    grid = element("table", element("thead", head), element("tbody", *rows), class_="data")
    box = element("div", grid, class_="scroll", tabindex=0, role="region", aria_label=table.title)
    notes = [element("p", note, class_="note") for note in table.notes]
    return joined(box, *notes)


def _head_cell(column: Column) -> Html:
    return element(
        "th",
        element("button", column.title, type="button"),
        scope="col",
        data_numeric=column.numeric,
        class_=None if column.numeric else "words",
    )


def _cell(cell: Cell, column: Column, first: bool) -> Html:
    classes = " ".join(name for name in ("" if column.numeric else "words", cell.tone) if name)
    # "n = 3" is not to be torn apart
    detail = element("small", cell.detail.replace(" = ", "\xa0=\xa0")) if cell.detail else None
    return element(
        "th" if first else "td",
        cell.text,
        detail,
        scope="row" if first else None,
        class_=classes or None,
        data_value=cell.value,
    )

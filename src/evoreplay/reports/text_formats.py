"""The tables for a text: Markdown and LaTeX."""

from __future__ import annotations

from evoreplay.reports.report import Report
from evoreplay.reports.tables import Cell, Table

LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "[": "{[}",
    "]": "{]}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
}


def markdown(report: Report) -> str:
    """All tables, each under its title."""
    lines = ["# evoreplay report", ""]
    for table in (table for part in report.sections for table in part.tables):
        heads = [column.title for column in table.columns]
        lines += [f"## {_markdown_text(table.title)}", "", _markdown_row(heads)]
        lines.append("|" + "|".join("---:" if c.numeric else "---" for c in table.columns) + "|")
        lines += [_markdown_row([one_line(cell) for cell in row]) for row in table.rows]
        lines += ["", *(f"{_markdown_text(note)}\n" for note in table.notes)]
    for skipped in report.skipped:
        lines.append(f"- skipped {_markdown_text(skipped.name)}: {_markdown_text(skipped.reason)}")
    return "\n".join(lines).rstrip() + "\n"


def latex(report: Report) -> str:
    """One plain `tabular` for each table; no package is needed."""
    parts = [_tabular(table) for part in report.sections for table in part.tables]
    return "\n".join(parts)


def one_line(cell: Cell) -> str:
    """Text and detail."""
    return f"{cell.text} {cell.detail}" if cell.detail else cell.text


def _markdown_text(text: str) -> str:
    escaped = "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)
    return " ".join(escaped.split())


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(_markdown_text(cell) for cell in cells) + " |"


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in " ".join(text.split()))


def _tabular(table: Table) -> str:
    align = "".join("r" if column.numeric else "l" for column in table.columns)
    heads = [column.title for column in table.columns]
    rows = [[one_line(cell) for cell in row] for row in table.rows]
    lines = [_latex_line(cells) for cells in [heads, *rows]]
    return "\n".join(
        [
            f"% {' '.join(table.title.split())}",
            f"\\begin{{tabular}}{{{align}}}",
            r"\hline",
            lines[0],
            r"\hline",
            *lines[1:],
            r"\hline",
            r"\end{tabular}",
            "",
        ]
    )


def _latex_line(cells: list[str]) -> str:
    return " & ".join(_latex_text(cell) for cell in cells) + r" \\"

"""The page: one HTML file that needs nothing else, on a phone, on a desk and on paper."""

from __future__ import annotations

import re
from importlib.resources import files

from evoreplay.reports.by_heart_figures import by_heart_figures
from evoreplay.reports.collect import Skipped
from evoreplay.reports.curve_figures import anytime_figures, robustness_figures
from evoreplay.reports.distance_figures import distance_figures
from evoreplay.reports.figures.colours import styles_of
from evoreplay.reports.html import Html, element
from evoreplay.reports.memory_figures import Budget, memory_figures
from evoreplay.reports.report import Report, SectionReport
from evoreplay.reports.reproduction import command_of, gives_the_same_config
from evoreplay.reports.rows import Row
from evoreplay.reports.section_figures import (
    Styles,
    balance_figures,
    difference_figures,
    matrix_figures,
)
from evoreplay.reports.sorted_table import sorted_table
from evoreplay.reports.tables import Table
from evoreplay.reports.theme import stylesheet

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The page may load nothing at all from elsewhere."""


def html_page(report: Report) -> str:
    """The whole page."""
    styles = styles_of(
        (row.group.method, row.group.label) for part in report.sections for row in part.rows
    )
    budget = Budget()
    bodies = [_section(part, styles, budget) for part in report.sections]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("link", rel="icon", href="data:,"),
        element("title", "evoreplay report"),
        element("style", Html(stylesheet())),
    )
    body = element(
        "body",
        _opening(report),
        element("main", *bodies),
        _skipped_list(report.skipped),
        element("script", Html(_script())),
    )
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"


def anchor(text: str) -> str:
    """A name for a link."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _opening(report: Report) -> Html:
    runs, rows = report.run_count, report.row_count
    words = f"{_count(runs, 'run')} in {_count(rows, 'row')}"
    measured = sum(bool(part.rows) for part in report.sections)
    words += f" on {_count(measured, 'dataset')}."
    if report.missing_count:
        words += f" Not measured yet: {_count(report.missing_count, 'row')}."
    links = [
        element("li", element("a", part.section.title, href=f"#{anchor(part.section.title)}"))
        for part in report.sections
    ]
    if report.skipped:
        name = f"{len(report.skipped)} skipped"
        links.append(element("li", element("a", name, href="#skipped")))
    return element(
        "header",
        element("h1", "evoreplay report"),
        element("p", words),
        element("p", "Wide tables scroll sideways.", class_="note narrow"),
        element("nav", element("ul", *links), aria_label="sections"),
    )


def _section(part: SectionReport, styles: Styles, budget: Budget) -> Html:
    section, rows = part.section, part.rows
    tables = {table.name: table for table in part.tables}

    def titled(*names: str) -> list[Html]:
        return [_titled(tables[name]) for name in names if name in tables]

    figures = [
        difference_figures(rows, styles),
        *titled("larger-batch", "claims", *(name for name in tables if name.startswith("by-"))),
        anytime_figures(section, styles),
        *titled("along"),
        matrix_figures(section),
        balance_figures(section),
        by_heart_figures(section, styles),
        *titled("memory"),
        distance_figures(rows, styles),
        *memory_figures(part.memories, budget),
        robustness_figures(section, styles),
        *titled("pgd", "carlini-wagner", "under-attack", "cost"),
    ]
    return element(
        "section",
        element("h2", section.dataset, id=anchor(section.title)),
        *(element("span", mark, class_="mark") for mark in section.marks),
        element("h3", "Final accuracy"),
        sorted_table(tables["results"]),
        *figures,
        _reproduction(rows) if rows else None,
    )


def _titled(table: Table) -> Html:
    title = table.title.split(":")[0]
    return element("section", element("h3", title), sorted_table(table))


def _reproduction(rows: list[Row]) -> Html:
    entries = [_how_to_make(row) for row in rows]
    note = (
        "The command makes the first seed of a row; give another --seed for the others. Device and "
        "precision are named because left to themselves they depend on the machine."
    )
    return element(
        "section",
        element("h3", "How to make each row again"),
        element("p", note, class_="note"),
        element(
            "details",
            element("summary", "Commands, config hashes and versions"),
            *entries,
        ),
    )


def _how_to_make(row: Row) -> Html:
    group = row.group
    hashes = ", ".join(f"{run.seed}: {run.config_hash}" for run in group.runs)
    versions = sorted({_versions(run.versions) for run in group.runs})
    doubt = None
    if not all(gives_the_same_config(run) for run in group.runs):
        doubt = element(
            "p",
            "This version of evoreplay does not resolve the command to the config hash of the run.",
            class_="note",
        )
    return element(
        "div",
        element("h4", group.label),
        element("pre", element("code", command_of(group.runs[0]))),
        doubt,
        element(
            "p",
            f"Config hash by seed: {hashes}. Made with {'; or '.join(versions)}.",
            class_="note",
        ),
    )


def _versions(versions: object) -> str:
    assert isinstance(versions, dict)
    return ", ".join(f"{name} {value}" for name, value in versions.items()) or "unknown versions"


def _skipped_list(skipped: list[Skipped]) -> Html | None:
    if not skipped:
        return None
    items = [element("li", element("code", s.name), f": {s.reason}") for s in skipped]
    return element(
        "section",
        element("h2", f"Skipped: {len(skipped)}", id="skipped"),
        element("p", "These are in the folder and not in the numbers or pictures above."),
        element("ul", *items, class_="skipped"),
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _script() -> str:
    return files("evoreplay.reports").joinpath("page.js").read_text(encoding="utf-8")

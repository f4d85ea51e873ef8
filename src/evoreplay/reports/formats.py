"""Every format that a report can have, by name and by the suffix of its file."""

from __future__ import annotations

from collections.abc import Callable

from evoreplay.reports.data_formats import comma_separated, everything
from evoreplay.reports.page import html_page
from evoreplay.reports.report import Report
from evoreplay.reports.text_formats import latex, markdown

FORMATS: dict[str, Callable[[Report], str]] = {
    "html": html_page,
    "md": markdown,
    "csv": comma_separated,
    "json": everything,
    "latex": latex,
}
SUFFIXES = {".htm": "html", ".html": "html", ".md": "md", ".csv": "csv", ".json": "json"} | {
    ".tex": "latex"
}

"""Sections of a report, and the words on them."""

import re

from evoreplay.reports.figures.colours import styles_of
from evoreplay.reports.report import make_report


def parts_of(folder):
    """The one section of a folder of runs, and the styles of its rows."""
    (part,) = make_report(folder).sections
    styles = styles_of((row.group.method, row.group.label) for row in part.rows)
    return part, styles


def words(markup):
    """Without tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())

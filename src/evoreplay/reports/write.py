"""From a folder of runs to a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from evoreplay.errors import UserError, require, unknown
from evoreplay.reports.collect import Skipped
from evoreplay.reports.formats import FORMATS, SUFFIXES
from evoreplay.reports.report import Report, make_report
from evoreplay.running import Config
from evoreplay.storage import write_file

Format = Literal["html", "md", "csv", "json", "latex"]


class Written(NamedTuple):
    """What a report was made of."""

    path: Path
    runs: int
    rows: int
    skipped: list[Skipped]


def write_report(
    runs: Path, out: Path, format: str | None = None, *, planned: Iterable[Config] = ()
) -> Written:
    """Report all finished runs below `runs` in the file `out`.

    Without a format its suffix decides, and html if there is none. The same runs give the same
    bytes. `planned` are the runs of a grid: what is not there yet is then said.
    """
    name = _format(out, format)
    return save_report(make_report(runs, planned=planned), out, name)


def save_report(report: Report, out: Path, format: str | None = None) -> Written:
    """Write a report that is made already."""
    save_text(out, FORMATS[_format(out, format)](report))
    return Written(out, report.run_count, report.row_count, report.skipped)


def save_text(out: Path, text: str) -> None:
    """A file and the folders above it, or an error that names it."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_file(out, text.encode())
    except OSError as error:
        raise UserError(
            f"cannot write {out}: {error.strerror or error}; give another --out"
        ) from error


def _format(out: Path, format: str | None) -> str:
    suffix = out.suffix.lower()
    require(
        format is not None or suffix in SUFFIXES or not suffix,
        f"no format is known by the suffix of {out.name}; give one of {', '.join(SUFFIXES)}, or "
        f"name a format ({', '.join(FORMATS)}) beside it",
    )
    name = format or SUFFIXES.get(suffix, "html")
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return name

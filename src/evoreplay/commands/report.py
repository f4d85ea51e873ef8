"""`evoreplay report`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from evoreplay.commands.options import given
from evoreplay.display import plain_line
from evoreplay.reports.write import Format, Written, write_report


@dataclass(kw_only=True)
class Report:
    """Compare finished runs on one page: tables, intervals, curves, the memory, commands.

    example: evoreplay report runs --out report.html

    example: evoreplay report runs --out table.tex
    """

    runs: Annotated[
        Path,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[RUNS]", help_behavior_hint="(default: runs)"),
    ] = Path("runs")
    """A folder with run directories, at any depth."""
    out: Path = Path("report.html")
    """The file to write."""
    format: Annotated[Format | None, given("html|md|csv|json|latex", "by the suffix of --out")] = (
        None
    )
    """One page to look at, or the tables for another program."""
    quiet: bool = False
    """Print nothing but errors."""

    def __call__(self, console: Console) -> None:
        written = write_report(self.runs, self.out, self.format)
        if not self.quiet:
            print_written(console, written)


def print_written(console: Console, written: Written) -> None:
    """Where the report is, and what is not in it."""
    lines = [f"{written.path}: {written.runs} runs in {written.rows} rows"]
    if written.skipped:
        lines[0] += f"; {len(written.skipped)} skipped:"
        lines += [f"  {skipped.name}: {skipped.reason}" for skipped in written.skipped]
    plain_line(console, "\n".join(lines))

"""`evoreplay demo`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console

from evoreplay.commands.run import run_all
from evoreplay.demo import closing_words, demo_configs, demo_table
from evoreplay.display import plain_line
from evoreplay.errors import require
from evoreplay.reports.write import write_report


@dataclass(kw_only=True)
class Demo:
    """Train seven methods on the embedded digits and compare them, in under a minute.

    It ends with a table and a page to look at.

    example: evoreplay demo
    """

    out: Path = Path("runs/demo")
    """Where the run directories go."""
    seeds: int = 3
    """How many seeds of each method."""
    quiet: bool = False
    """Print the table alone."""

    def __call__(self, console: Console) -> None:
        require(self.seeds >= 1, f"--seeds is {self.seeds}; give 1 or more")
        torch.set_num_threads(1)
        outcomes = run_all(demo_configs(self.seeds), self.out, console, self.quiet)
        console.print(demo_table(outcomes))
        page = write_report(self.out, self.out / "report.html").path
        if not self.quiet:
            plain_line(console, closing_words(self.out, page))

"""`evoreplay bench`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table

from evoreplay.benchmarks import Benchmark, run_benchmark
from evoreplay.benchmarks.report import BARS, NAIVE, VARIANTS
from evoreplay.commands.options import given
from evoreplay.errors import UserError, require, unknown
from evoreplay.running.config import Precision
from evoreplay.running.run import versions
from evoreplay.storage import write_json

OVERHEAD_BAR = 0.03
WIDE_MARGIN = 2


@dataclass(kw_only=True)
class Bench:
    """Time a step of every method: CPU time, one thread, interleaved, as ratios in one run.

    example: evoreplay bench --json bench.json

    example: evoreplay bench --only er+ld mir naive-er --rounds 5
    """

    json: Annotated[Path | None, given("FILE", "none")] = None
    """Write all numbers to this file; the ratios are under the key `ratios`."""
    rounds: int = 10
    """How often each step is timed."""
    only: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="NAME ...", help_behavior_hint="(default: all)")
    ] = ()
    """Rows to time beside er."""
    precision: Precision = "auto"
    """Of the training passes: auto (as a run here), float32, or bfloat16 with float32 beside it."""
    check: bool = False
    """Fail if a ratio is more than twice its bar."""

    def __call__(self, console: Console) -> None:
        require(self.rounds >= 1, f"--rounds is {self.rounds}; give 1 or more")
        known = {*VARIANTS, *NAIVE, "er at 100k"}
        for name in self.only:
            if name not in known:
                raise unknown("row", name, known)
        with console.status("timing, one thread"):
            found = run_benchmark(
                rounds=self.rounds, only=self.only or None, precision=self.precision
            )
        print_rows(console, found)
        print_ratios(console, found)
        if self.json is not None:
            try:
                write_json(self.json, as_json(found, self.rounds))
            except OSError as error:
                raise UserError(
                    f"cannot write {self.json}: {error.strerror or error}; give another --json"
                ) from error
        if self.check:
            require_wide_bars(found)


def require_wide_bars(found: Benchmark) -> None:
    """Refuse ratios that no noise of a machine explains."""
    over = [
        f"{name} is {value.median:.2f}, its bar {BARS[name][2]:.2f}"
        for name, value in found.ratios.items()
        if value.median > WIDE_MARGIN * BARS[name][2]
    ]
    if found.overhead_share > WIDE_MARGIN * OVERHEAD_BAR:
        over.append(f"overhead-share is {found.overhead_share:.3f}, its bar {OVERHEAD_BAR}")
    require(not over, f"more than twice a bar: {'; '.join(over)}; look at what made it slow")


def print_rows(console: Console, found: Benchmark) -> None:
    """Milliseconds, and cost relative to ER beside what the passes predict."""
    table = Table(
        "step",
        title=f"CPU time of a step, {found.precision}, width-20 ResNet-18, 32x32, batch 10 + 10, "
        "flows with recipe=paper where the row names none",
    )
    for heading in ("ms", "x er", "quartiles", "by its passes", "measured / predicted"):
        table.add_column(heading, justify="right")
    for row in found.rows:
        predicted = "" if row.predicted is None else f"{row.predicted:.2f}"
        agreement = "" if row.predicted is None else f"{row.to_er.median / row.predicted:.2f}"
        table.add_row(
            row.name,
            f"{row.milliseconds:.1f}",
            f"{row.to_er.median:.2f}",
            f"{row.to_er.low:.2f} to {row.to_er.high:.2f}",
            predicted,
            agreement,
        )
    console.print(table)


def print_ratios(console: Console, found: Benchmark) -> None:
    """Ratios and their bars."""
    table = Table("ratio", title="bars")
    for heading in ("measured", "quartiles", "at most", ""):
        table.add_column(heading, justify="right")
    for name, value in found.ratios.items():
        bar = BARS[name][2]
        kept = "" if value.median <= bar else "over"
        spread = f"{value.low:.2f} to {value.high:.2f}"
        table.add_row(name, f"{value.median:.3f}", spread, f"{bar:.2f}", kept)
    kept = "" if found.overhead_share <= OVERHEAD_BAR else "over"
    table.add_row("overhead-share", f"{found.overhead_share:.4f}", "", f"{OVERHEAD_BAR}", kept)
    console.print(table)


def as_json(found: Benchmark, rounds: int) -> dict[str, Any]:
    """Everything, as plain data."""
    return {
        "ratios": {name: value.median for name, value in found.ratios.items()}
        | {"overhead-share": found.overhead_share},
        "spread": {name: [value.low, value.high] for name, value in found.ratios.items()},
        "steps": {
            row.name: {
                "milliseconds": row.milliseconds,
                "to_er": row.to_er.median,
                "predicted_to_er": row.predicted,
            }
            for row in found.rows
        },
        "rounds": rounds,
        "precision": found.precision,
        "versions": versions(),
    }

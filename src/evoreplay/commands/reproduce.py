"""`evoreplay reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from evoreplay.commands.attack import Attack
from evoreplay.commands.options import given
from evoreplay.commands.report import print_written
from evoreplay.commands.sweep import Sweep, require_all_done, show_grid
from evoreplay.display import plain_line
from evoreplay.errors import UserError, require, unknown
from evoreplay.reports.flow_pictures import flow_png
from evoreplay.reports.packed_results import packed, packed_text
from evoreplay.reports.report import make_report
from evoreplay.reports.write import save_report, save_text
from evoreplay.running.interruption import Interrupted
from evoreplay.storage import write_file
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.grid import Job, known_experiments
from evoreplay.sweeps.on_processes import Place

FLOWS = "flows_2d"
"""The one figure that needs no runs."""
ATTACKS = {"carlini_wagner": "cw", "pgd": "pgd"}
"""Tables of accuracy under attack, and the attack."""


@dataclass(kw_only=True)
class Reproduce(Sweep):
    """A table or figure of the paper: its sweep, its attack if it has one, and the report.

    The same command again continues what is unfinished. Beside the runs it writes report.html,
    report.md and results.json, the results themselves in one file. Names that end in _quick finish
    on a laptop; flows_2d is a picture of flows in the plane.

    example: evoreplay reproduce main --dataset cifar10 --seeds 3

    example: evoreplay reproduce beta_quick

    example: evoreplay reproduce beta_quick --report-only
    """

    experiment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """Of a table or figure: main, carlini_wagner, pgd, memory_size_cifar100, evolution_steps, cost,
    beta, alpha_cifar10, tsne, flows_2d, ..."""
    dataset: Annotated[str | None, given("NAME", "all of the table")] = None
    """Only this dataset."""
    out: Annotated[Path | None, given("PATH", "runs/NAME")] = None  # type: ignore[assignment]
    """Where the run directories and the report go."""
    report_only: bool = False
    """Start nothing: report what is finished so far, and name what is not measured."""

    def __call__(self, console: Console) -> None:
        known = [*known_experiments(), FLOWS]
        if self.experiment not in known:
            raise unknown("table or figure", self.experiment, known)
        require(
            not (self.dry_run and self.report_only),
            "--dry-run shows what would be run and --report-only runs nothing; leave out one",
        )
        self.out = self.out or Path("runs") / self.experiment
        if self.experiment == FLOWS:
            self._draw_flows(console)
            return
        if self.dataset is not None:
            self.only = (*self.only, f"dataset={self.dataset}")
        jobs = self.jobs()
        if self.dry_run:
            show_grid(console, jobs, Place(self.out, self.data, self.threads), self.workers)
            return
        if self.report_only:
            self._report(jobs, console)
            return
        board = self._swept(jobs, console)
        attack = ATTACKS.get(self.experiment.removesuffix("_quick"))
        if attack is not None and board.count("done"):
            Attack(
                path=self.out,
                attack=attack,
                data=self.data,
                threads=self.threads,
                quiet=self.quiet,
            )(console)
        if board.count("done"):
            self._report(jobs, console)
        require_all_done(board, console, quiet=self.quiet)

    def _swept(self, jobs: Sequence[Job], console: Console) -> Board:
        try:
            return self.work_off(jobs, console)
        except Interrupted as error:
            words = f"{error}, and --report-only reports what is done"
            raise Interrupted(words, error.signal_number) from error

    def _report(self, jobs: Sequence[Job], console: Console) -> None:
        """The pages, and the results that they are made of."""
        assert self.out is not None
        nothing = (
            f"no run of {self.experiment} is finished in {self.out}; leave out --report-only to do "
            "them, or give the folder that holds them as --out"
        )
        require(any(self.out.rglob("result.json")), nothing)
        planned = [job.config for job in jobs]
        report = make_report(self.out, planned=planned)
        results = packed(report.runs, planned)
        require(bool(results), nothing)
        written = save_report(report, self.out / "report.html")
        save_report(report, self.out / "report.md")
        save_text(self.out / "results.json", packed_text(results))
        if self.quiet:
            return
        print_written(console, written)
        plain_line(
            console,
            f"the same as text: {self.out / 'report.md'}; the results of {len(results)} of "
            f"{len(jobs)} runs: {self.out / 'results.json'}",
        )

    def _draw_flows(self, console: Console) -> None:
        require(not self.dry_run, "flows_2d has no runs to show; leave out --dry-run")
        require(not self.report_only, "flows_2d has no runs to report; leave out --report-only")
        assert self.out is not None
        path = self.out / "flows_2d.png"
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            write_file(path, flow_png())
        except OSError as error:
            raise UserError(
                f"cannot write {path}: {error.strerror or error}; give another --out"
            ) from error
        if not self.quiet:
            plain_line(console, f"wrote {path}")

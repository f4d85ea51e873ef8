"""`evoreplay sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from evoreplay.commands.options import given
from evoreplay.errors import require
from evoreplay.running.config import parse_settings
from evoreplay.running.directory import read_result
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.estimate import expected_seconds
from evoreplay.sweeps.grid import Job, experiment_configs, make_grid
from evoreplay.sweeps.live_table import duration
from evoreplay.sweeps.on_processes import Place
from evoreplay.sweeps.sweep import Executor, sweep


class SomeRunsFailedError(Exception):
    """The sweep is over, and not every run has a result."""


@dataclass(kw_only=True)
class Sweep:
    """Do every run of an experiment file, on all cores or on a Ray cluster.

    The run directories are the only truth: the same command again continues what is unfinished and
    repeats nothing.

    example: evoreplay sweep experiments/main_quick.yaml --dry-run

    example: evoreplay sweep main --only dataset=cifar10,method=er+ld --seeds 3 --scale 0.1

    example: evoreplay sweep main --executor ray --address auto --out /shared/runs
    """

    experiment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """A YAML file with the keys dataset, method, seeds, set; or the name of one that comes with the
    package."""
    seeds: Annotated[int | None, given("NUMBER", "as the file says")] = None
    """How many seeds, from 0."""
    out: Path = Path("runs")
    """Where the run directories go."""
    data: Annotated[Path | None, given("PATH", "none")] = None
    """Where the data are, before $EVOREPLAY_DATA, ./data and the user's cache."""
    only: Annotated[
        tuple[str, ...],
        tyro.conf.arg(metavar="FIELD=VALUE ...", help_behavior_hint="(default: all)"),
    ] = ()
    """Keep only runs with these values: dataset=cifar10,method=er+ld; a field twice keeps both."""
    scale: Annotated[float | None, given("SHARE", "as the file says")] = None
    """Share of each segment of the stream to use, for quick looks."""
    set: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="NAME=VALUE ...", help_behavior_hint="")
    ] = ()
    """Any field of the config as name=value; overrules the file."""
    executor: Executor = "processes"
    """processes of this machine, or ray."""
    workers: Annotated[int | None, given("NUMBER", "one for each core")] = None
    """Runs at the same time."""
    address: Annotated[str | None, given("ADDRESS", "a cluster of this machine alone")] = None
    """Of a Ray cluster to join; auto finds one that runs here."""
    threads: int = 1
    """Threads of torch for each run."""
    dry_run: bool = False
    """Show the grid and about how long it takes, and stop."""
    quiet: bool = False
    """Print nothing but errors."""

    def __call__(self, console: Console) -> None:
        jobs = self.jobs()
        place = Place(self.out, self.data, self.threads)
        if self.dry_run:
            show_grid(console, jobs, place, self.workers)
            return
        board = self.work_off(jobs, console)
        require_all_done(board, console, quiet=self.quiet)

    def jobs(self) -> list[Job]:
        """The grid that the command line asks for."""
        require(self.threads >= 1, f"--threads is {self.threads}; give 1 or more")
        settings = parse_settings(self.set)
        if self.scale is not None:
            settings["scale"] = self.scale
        configs = experiment_configs(self.experiment)
        return make_grid(configs, seeds=self.seeds, only=self.only, settings=settings)

    def work_off(self, jobs: Sequence[Job], console: Console) -> Board:
        """All of them."""
        return sweep(
            jobs,
            Place(self.out, self.data, self.threads),
            console,
            executor=self.executor,
            workers=self.workers,
            address=self.address,
            quiet=self.quiet,
        )


def require_all_done(board: Board, console: Console, *, quiet: bool) -> None:
    """Say how the sweep ended; an exception if a run failed."""
    failed = board.in_state("failed")
    if not quiet:
        console.print(f"{board.count('done')} of {len(board.entries)} runs done", highlight=False)
    if failed:
        reasons = "\n".join(f"  {entry.job.name}: {entry.reason}" for entry in failed)
        raise SomeRunsFailedError(
            f"{len(failed)} of {len(board.entries)} runs failed; the same command tries them "
            f"again:\n{reasons}"
        )


def show_grid(console: Console, jobs: Sequence[Job], place: Place, workers: int | None) -> None:
    """Every run, whether it is there already, and how long it takes on one core."""
    table = Table("run", title=f"{len(jobs)} runs")
    table.add_column("on one core", justify="right")
    expected = expected_seconds(jobs, place.data)
    left = 0.0
    for job in jobs:
        seconds = expected.get(job.name)
        if read_result(place.out / job.name) is not None:
            table.add_row(job.name, "done")
            continue
        left += seconds or 0.0
        table.add_row(job.name, "data not found" if seconds is None else duration(seconds))
    console.print(table)
    if left:
        hands = f" on {workers} workers: {duration(left / workers)}" if workers else ""
        console.print(
            f"left: about {duration(left)} of one core{hands}", markup=False, highlight=False
        )

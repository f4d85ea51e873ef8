"""`evoreplay runs list|show|images|clean`."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
import yaml
from rich.console import Console
from rich.table import Table

from evoreplay.display import plain_line
from evoreplay.errors import UserError, require
from evoreplay.reports.run_images import export_run
from evoreplay.reports.usual import HARDWARE, IDENTITY, settings_beside_protocol
from evoreplay.running.config import as_dict
from evoreplay.running.found import FoundRun, find_runs, read_run
from evoreplay.running.lock import is_locked

Folder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="[FOLDER]")]


@dataclass(kw_only=True)
class List:
    """Every run in a folder: whether it is finished, how far it is, how good it is.

    example: evoreplay runs list runs
    """

    folder: Folder = Path("runs")
    """Where the run directories are."""

    def __call__(self, console: Console) -> None:
        found = runs_in(self.folder)
        names = [str(one.path.relative_to(self.folder)) for one in found]
        plain_line(console, f"{len(found)} run{'s' * (len(found) > 1)} in {self.folder}")
        table = Table()
        # a name is there to be copied: other columns give way
        table.add_column("run", no_wrap=True, min_width=max(map(len, names)))
        table.add_column("status")
        for heading in ("progress", "accuracy", "forgetting"):
            table.add_column(heading, justify="right")
        for name, one in zip(names, found, strict=True):
            result = one.result or {}
            table.add_row(
                name,
                one.status,
                progress_of(one),
                percent(result.get("final_accuracy")),
                percent(result.get("forgetting")),
            )
        console.print(table)
        for name, one in zip(names, found, strict=True):
            if one.reason:
                plain_line(console, f"{name}: {one.reason}")


@dataclass(kw_only=True)
class Show:
    """One run in detail.

    example: evoreplay runs show runs/digits-er-s0-0fb45de8
    """

    run: Annotated[Path, tyro.conf.Positional]
    """The run directory."""

    def __call__(self, console: Console) -> None:
        found = run_in(self.run)
        table = Table.grid(padding=(0, 2))
        for name, value in details(found):
            table.add_row(name, value)
        console.print(f"{found.path}: {found.status}", markup=False, highlight=False)
        console.print(table)


@dataclass(kw_only=True)
class Images:
    """Write memory images of a run, raw and evolved, as PNG files, and their losses as CSV.

    example: evoreplay runs images runs/digits-er+ld-s0-0fb45de8 --out images
    """

    run: Annotated[Path, tyro.conf.Positional]
    """The run directory."""
    out: Path = Path("images")
    """A folder that is new or empty."""

    def __call__(self, console: Console) -> None:
        exported = export_run(run_in(self.run).path, self.out)
        lines = [f"{exported.folder}: {exported.images} images and losses.csv"]
        lines += [f"  skipped {reason}" for reason in exported.skipped]
        console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


@dataclass(kw_only=True)
class Clean:
    """Remove runs that are not finished and that nobody is at, after a question.

    example: evoreplay runs clean runs --dry-run
    """

    folder: Folder = Path("runs")
    """Where the run directories are."""
    yes: bool = False
    """Do not ask."""
    dry_run: bool = False
    """Show what would be removed, and stop."""

    def __call__(self, console: Console) -> None:
        found = runs_in(self.folder)
        idle = [one for one in found if one.status in ("unfinished", "failed", "damaged")]
        for one in idle:
            line = f"{one.path}: {one.status} {progress_of(one)}".rstrip()
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        if not idle:
            console.print(f"nothing to remove: all {len(found)} runs are finished or running")
            return
        if self.dry_run:
            return
        if not self.yes and not confirmed(console, len(idle)):
            console.print("nothing was removed")
            return
        removed = [one for one in idle if remove(one)]
        console.print(f"{len(removed)} removed, {len(found) - len(removed)} kept")


def runs_in(folder: Path) -> list[FoundRun]:
    """All, or a message that says where to look."""
    require(folder.is_dir(), f"there is no folder {folder}; give the --out of your runs")
    found = list(find_runs(folder))
    require(bool(found), f"there are no runs in {folder}; `evoreplay run` makes one")
    return found


def run_in(path: Path) -> FoundRun:
    """The run in this directory, or a message that says what it is instead."""
    require(path.is_dir(), f"there is no run directory {path}; try: evoreplay runs list")
    found = read_run(path)
    if found is None:
        raise UserError(f"{path} is not a run directory: it has no config.yaml of a run")
    return found


def confirmed(console: Console, count: int) -> bool:
    """Ask; the end of the input is a no."""
    try:
        return console.input(f"remove these {count}? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def remove(one: FoundRun) -> bool:
    """Remove it, unless somebody took it up in the meantime."""
    if is_locked(one.path):
        return False
    try:
        # without its config a half-removed directory is no run any more
        (one.path / "config.yaml").unlink()
        shutil.rmtree(one.path)
    except OSError as error:
        raise UserError(f"cannot remove {one.path}: {error.strerror or error}") from error
    return True


def details(found: FoundRun) -> Sequence[tuple[str, str]]:
    """What there is to know, in a good order."""
    rows = [("progress", progress_of(found))]
    if found.reason:
        rows.append(("reason", found.reason))
    result = found.result or {}
    for name in ("final_accuracy", "validation_accuracy", "forgetting"):
        if name in result:
            rows.append((name.replace("_", " "), percent(result[name])))
    for name in ("seconds", "seconds_per_step", "memory_moved"):
        if name in result:
            rows.append((name.replace("_", " "), f"{result[name]:.4g}"))
    for name in ("subset", "config_hash", "versions"):
        if result.get(name):
            rows.append((name.replace("_", " "), yaml_line(result[name])))
    plain = as_dict(found.config)
    always = {k: v for k, v in plain.items() if k in IDENTITY or k in HARDWARE}
    chosen = always | settings_beside_protocol(plain)
    rows += [(name.replace("_", " "), yaml_line(value)) for name, value in chosen.items()]
    return rows


def yaml_line(value: object) -> str:
    """Plain data on one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).split("\n...")[0].strip()


def progress_of(one: FoundRun) -> str:
    """As a share, or in batches where the length is not known."""
    if one.status == "finished":
        return "100%"
    if one.length:
        return f"{one.position / one.length:.0%}"
    return f"{one.position} batches" if one.position else ""


def percent(value: float | None) -> str:
    """With one digit; nothing of nothing."""
    return "" if value is None else f"{value:.1%}"


@dataclass(kw_only=True)
class Runs:
    """Runs on disk: what is there, one in detail, its images, removal of unfinished ones."""

    command: tyro.conf.OmitSubcommandPrefixes[List | Show | Images | Clean]

    def __call__(self, console: Console) -> None:
        self.command(console)

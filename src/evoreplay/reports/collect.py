"""All runs below a folder: those that can be used, and what was skipped and why."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from pathlib import Path

from evoreplay.errors import UserError, require
from evoreplay.reports.results import FinishedRun, finished_run
from evoreplay.reports.robustness import read_robustness

INSIDE_A_RUN = ("config.yaml", "result.json")


@dataclass(frozen=True, order=True)
class Skipped:
    """Something that is not on the page."""

    name: str
    """A folder or file, relative to the one that was searched."""
    reason: str


@dataclass(frozen=True)
class Collection:
    """What a folder holds."""

    runs: list[FinishedRun]
    skipped: list[Skipped]


def collect(folder: Path) -> Collection:
    """Every run directory below `folder`, at any depth; an error if none of them is finished."""
    require(
        folder.exists(), f"{folder} is not there; give a folder that `evoreplay run` has written to"
    )
    require(folder.is_dir(), f"{folder} is a file; give the folder with the run directories")
    skipped: list[Skipped] = []
    runs = [
        run
        for path in sorted(run_directories(folder, skipped))
        if (run := _usable(path, _name(path, folder), skipped)) is not None
    ]
    runs = without_copies(runs, skipped)
    skipped.sort()
    if not runs:
        seen = "".join(f"\n  {s.name}: {s.reason}" for s in skipped)
        raise UserError(
            f"no finished run in {folder}; make some with `evoreplay run --out {folder}` or "
            f"`evoreplay demo`, or give the folder that holds them{seen}"
        )
    return Collection(runs, skipped)


def run_directories(folder: Path, skipped: list[Skipped]) -> list[Path]:
    """Folders with a config or a result; links are followed, each folder is visited once."""
    visited: set[Path] = set()

    def below(path: Path) -> list[Path]:
        real = path.resolve()
        if real in visited:
            return []
        visited.add(real)
        if any((path / name).exists() for name in INSIDE_A_RUN):
            return [path]
        try:
            children = sorted(p for p in path.iterdir() if p.is_dir() and p.name[0] != ".")
        except OSError as error:
            skipped.append(Skipped(_name(path, folder), f"cannot be read: {error.strerror}"))
            return []
        found = [run for child in children for run in below(child)]
        if not found and path.parent == folder:
            skipped.append(Skipped(_name(path, folder), "no run in it"))
        return found

    return below(folder)


def without_copies(runs: list[FinishedRun], skipped: list[Skipped]) -> list[FinishedRun]:
    """One run of each config: a copy is no second sample."""
    kept: dict[str, FinishedRun] = {}
    for run in runs:
        first = kept.setdefault(json.dumps([run.subset, run.config], sort_keys=True), run)
        if first is not run:
            skipped.append(Skipped(run.name, f"the same config and seed as {first.name}"))
    return list(kept.values())


def _usable(path: Path, name: str, skipped: list[Skipped]) -> FinishedRun | None:
    if not (path / "result.json").exists():
        skipped.append(Skipped(name, "not finished: no result.json"))
        return None
    try:
        run = finished_run(name, path)
    except UserError as error:
        skipped.append(Skipped(name, str(error)))
        return None
    try:
        return dataclasses.replace(run, robustness=read_robustness(path, run.config_hash))
    except UserError as error:
        skipped.append(Skipped(f"{name}/robustness.json", str(error)))
        return run


def _name(path: Path, folder: Path) -> str:
    """The same on every machine, whatever the folder itself is called."""
    relative = os.path.relpath(path, folder)
    return path.resolve().name if relative == "." else Path(relative).as_posix()

"""A sweep: every run of a grid, on processes of this machine or on a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from rich.console import Console

from evoreplay.errors import UserError, require
from evoreplay.running.directory import read_result
from evoreplay.running.interruption import Interrupted, stop_requests
from evoreplay.sweeps.attempt import Attempt
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.estimate import expected_seconds
from evoreplay.sweeps.grid import Job
from evoreplay.sweeps.live_table import LiveTable
from evoreplay.sweeps.on_processes import Place, on_processes
from evoreplay.sweeps.on_ray import on_ray

Executor = Literal["processes", "ray"]


def sweep(
    jobs: Sequence[Job],
    place: Place,
    console: Console,
    *,
    executor: Executor = "processes",
    workers: int | None = None,
    address: str | None = None,
    quiet: bool = False,
) -> Board:
    """Do what is not done yet, show how it goes, and say at the end how each run ended."""
    require(workers is None or workers >= 1, f"--workers is {workers}; give 1 or more")
    require(
        address is None or executor == "ray",
        "--address is of a Ray cluster; add --executor ray, or leave it out",
    )
    hands = workers or max(1, (os.cpu_count() or 1) // place.threads)
    board = Board.of(jobs)
    _note_what_is_there(board, place)
    waiting = [entry.job for entry in board.in_state("waiting")]
    for name, seconds in expected_seconds(waiting, place.data).items():
        board.entries[name].expected_seconds = seconds
    for entry in board.in_state("done"):
        entry.expected_seconds = 0.0
    _make_folder(place)
    with stop_requests() as stop, LiveTable(console, board, workers=hands, quiet=quiet) as table:
        if not waiting:
            pass
        elif executor == "ray":
            on_ray(board, place, workers=hands, stop=stop, address=address, tick=table)
        else:
            on_processes(board, place, workers=hands, stop=stop, tick=table)
    if stop.signal_number is not None:
        raise Interrupted(
            f"stopped with {board.count('done')} of {len(jobs)} runs done; nothing is lost: the "
            "same command continues the others",
            stop.signal_number,
        )
    return board


def _note_what_is_there(board: Board, place: Place) -> None:
    for name, entry in board.entries.items():
        try:
            result = read_result(place.out / name)
        except UserError as error:
            board.ended(name, Attempt("failed", str(error)))
            continue
        if result is not None:
            entry.state, entry.accuracy = "done", result.get("final_accuracy")


def _make_folder(place: Place) -> None:
    try:
        place.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"cannot write to {place.out}: {error.strerror or error}; give another --out"
        ) from error

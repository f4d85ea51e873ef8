"""Work off a sweep on a Ray cluster: each run is a task.

Ray carries the config there and a word back; everything else is in the run directories, which must
lie on a path that all nodes share. A task whose worker or node dies is started again by Ray and
continues from the last checkpoint. Nothing of Ray Tune is used.
"""

from __future__ import annotations

import importlib
import os
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evoreplay.errors import UserError
from evoreplay.running.config import as_dict
from evoreplay.running.found import read_run
from evoreplay.running.interruption import StopRequest
from evoreplay.running.lock import STALE_SECONDS
from evoreplay.sweeps.attempt import Attempt, attempt
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.on_processes import Place

RETRIES = 5
TICK_SECONDS = 0.5
LOOK_SECONDS = 2.0
GRACE_SECONDS = 60.0
PASSED_ON = ("EVOREPLAY_DATA", "EVOREPLAY_CACHE")


def on_ray(
    board: Board,
    place: Place,
    *,
    workers: int | None,
    stop: StopRequest,
    address: str | None = None,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """As `on_processes`; `address` joins a cluster that is there, otherwise one is started here."""
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        _connect(ray, address, workers)
    try:
        _work_off(ray, board, place, stop, tick)
    finally:
        if started:
            ray.shutdown()


def one_run(fields: Mapping[str, Any], out: str, data: str | None, threads: int) -> dict[str, Any]:
    """The task: one try, waiting for the lock of an owner that may be dead."""
    ended = attempt(
        fields,
        Path(out),
        data=None if data is None else Path(data),
        threads=threads,
        patience=2 * STALE_SECONDS,
    )
    return ended._asdict()


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise UserError(
            "the executor ray needs the package ray; install it with: pip install 'evoreplay[ray]'"
        ) from error


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    options: dict[str, Any] = {"address": address} if address else {"num_cpus": workers}
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        with warnings.catch_warnings():
            # ray announces its own plans as warnings
            warnings.simplefilter("ignore")
            ray.init(
                **options,
                include_dashboard=False if not address else None,
                log_to_driver=False,
                configure_logging=False,
                runtime_env={"env_vars": environment},
            )
    except Exception as error:  # a node that does not start in time raises a bare one
        where = f"the Ray cluster at {address}" if address else "Ray on this machine"
        raise UserError(f"cannot reach {where}: {error}") from error


def _work_off(
    ray: Any, board: Board, place: Place, stop: StopRequest, tick: Callable[[], None]
) -> None:
    task = ray.remote(num_cpus=place.threads, max_retries=RETRIES)(one_run)
    out, data = str(place.out.resolve()), place.data and str(place.data.resolve())
    names = {}
    for entry in board.in_state("waiting"):
        name, fields = entry.job.name, as_dict(entry.job.config)
        names[task.options(name=name).remote(fields, out, data, place.threads)] = name
    looked = 0.0
    while names and not stop:
        tick()
        if time.monotonic() - looked > LOOK_SECONDS:
            looked = time.monotonic()
            _look(board, place.out, names.values())
        for reference in ray.wait(list(names), timeout=TICK_SECONDS)[0]:
            board.ended(names.pop(reference), _outcome(ray, reference))
    if names:
        for reference in names:
            ray.cancel(reference)
        # runs that are under way save their state
        ray.wait(list(names), num_returns=len(names), timeout=GRACE_SECONDS)


def _outcome(ray: Any, reference: Any) -> Attempt:
    try:
        return Attempt(**ray.get(reference))
    except ray.exceptions.RayError as error:
        words = str(error).strip().splitlines()
        return Attempt("failed", f"{type(error).__name__}: {words[0] if words else ''}")


def _look(board: Board, out: Path, names: Any) -> None:
    """What the run directories say of the runs under way."""
    for name in names:
        found = read_run(out / name)
        if found is None or found.status != "running":
            continue
        if board.entries[name].state != "running":
            board.started(name)
        board.progressed(name, found.position, found.length, None)

"""Work off a sweep with processes of this machine.

Each worker is a process that does one run after the other (`sweeps.worker`). Any of them may die at
any time: its run goes back to the end of the queue and continues from its last checkpoint. If this
process dies, the workers notice that nobody writes to them any more, save and leave.
"""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from evoreplay.running.config import as_dict
from evoreplay.running.interruption import StopRequest
from evoreplay.sweeps.attempt import Attempt
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.grid import Job

MOST_DEATHS = 5
ELSEWHERE_SECONDS = 1.0
TICK_SECONDS = 0.2
GRACE_SECONDS = 60.0


class Place(NamedTuple):
    """Where and how the runs are done."""

    out: Path
    data: Path | None = None
    threads: int = 1
    """Of torch, for each run."""


class Worker:
    """A process and the run it is at; what it says goes to `inbox`."""

    def __init__(self, inbox: queue.Queue[tuple[Worker, str | None]]) -> None:
        self.job: Job | None = None
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed by `close`)
        # a session of its own: Ctrl-C reaches this process, which then asks the workers to stop
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evoreplay.sweeps.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )
        self._inbox = inbox
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._inbox.put((self, line))
        self._inbox.put((self, None))

    def give(self, job: Job, place: Place) -> None:
        """Send it the next run."""
        self.job = job
        order: dict[str, Any] = {
            "config": as_dict(job.config),
            "out": str(place.out),
            "data": None if place.data is None else str(place.data),
            "threads": place.threads,
        }
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its death is noticed by the listener
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()

    def leave(self) -> None:
        """Tell it that there is no more work; a run that is under way is saved first."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def last_words(self) -> str:
        """How it died."""
        code = self.process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        self.close()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"its process ended with {how}" + (f": {lines[-1]}" if lines else "")

    def close(self) -> None:
        """Of a worker that is gone."""
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def on_processes(
    board: Board,
    place: Place,
    *,
    workers: int,
    stop: StopRequest,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Do every waiting run of the board; return when all are done or failed, or on a stop request.

    `tick` is called several times a second, for displays.
    """
    waiting = deque(entry.job for entry in board.in_state("waiting"))
    later: deque[tuple[float, Job]] = deque()
    deaths: dict[str, int] = {}
    inbox: queue.Queue[tuple[Worker, str | None]] = queue.Queue()
    crew = [Worker(inbox) for _ in range(min(workers, len(waiting)))]
    try:
        while (waiting or later or any(w.job for w in crew)) and not stop:
            while later and later[0][0] <= time.monotonic():
                waiting.append(later.popleft()[1])
            for worker in crew:
                if worker.job is None and waiting:
                    worker.give(waiting.popleft(), place)
                    assert worker.job is not None
                    board.started(worker.job.name)
            tick()
            for worker, line in _heard_by_now(inbox):
                job = worker.job
                if line is None:
                    crew[crew.index(worker)] = Worker(inbox)
                    words = worker.last_words()
                    if job is not None and not _was_last_straw(board, job, words, deaths):
                        waiting.append(job)
                elif job is not None:
                    ended = _noted(board, job, line)
                    if ended is not None:
                        worker.job = None
                        if ended.status in ("elsewhere", "stopped"):
                            later.append((time.monotonic() + ELSEWHERE_SECONDS, job))
    finally:
        _dismiss(crew, inbox, board)


def _heard_by_now(
    inbox: queue.Queue[tuple[Worker, str | None]],
) -> Iterator[tuple[Worker, str | None]]:
    """What the workers said since, after at most a tick; None is a worker's end."""
    with contextlib.suppress(queue.Empty):
        yield inbox.get(timeout=TICK_SECONDS)
        while True:
            yield inbox.get_nowait()


def _noted(board: Board, job: Job, line: str) -> Attempt | None:
    """Note what a worker said; how its run ended, if it did."""
    try:
        words = json.loads(line)
    except json.JSONDecodeError:  # cut off by the worker's death
        return None
    if "status" not in words:
        board.progressed(job.name, **words)
        return None
    ended = Attempt(**words)
    board.ended(job.name, ended)
    return ended


def _was_last_straw(board: Board, job: Job, words: str, deaths: dict[str, int]) -> bool:
    """A worker died at this run: once more, unless it happens again and again."""
    deaths[job.name] = deaths.get(job.name, 0) + 1
    if deaths[job.name] >= MOST_DEATHS:
        board.ended(job.name, Attempt("failed", f"{words}, {MOST_DEATHS} times"))
        return True
    board.ended(job.name, Attempt("stopped", words))
    return False


def _dismiss(
    crew: list[Worker], inbox: queue.Queue[tuple[Worker, str | None]], board: Board
) -> None:
    """Let all leave, and hear what they still have to say; kill whoever does not go."""
    for worker in crew:
        worker.leave()
    until = time.monotonic() + GRACE_SECONDS
    left = set(crew)
    while left and time.monotonic() < until:
        for worker, line in _heard_by_now(inbox):
            if line is None:
                left.discard(worker)
                worker.close()
            elif worker.job is not None and _noted(board, worker.job, line) is not None:
                worker.job = None
    for worker in left:
        worker.process.kill()
        worker.close()

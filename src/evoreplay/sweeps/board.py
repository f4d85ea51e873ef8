"""Where a sweep is: what is done, running, waiting or failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evoreplay.sweeps.attempt import Attempt
from evoreplay.sweeps.grid import Job

State = Literal["waiting", "running", "elsewhere", "done", "failed"]


@dataclass
class Entry:
    """One run of the sweep."""

    job: Job
    expected_seconds: float | None = None
    """By an estimate before the start."""
    state: State = "waiting"
    reason: str = ""
    accuracy: float | None = None
    position: int = 0
    length: int = 0
    began: float = 0.0
    began_at: int = 0
    """The batch at which this sweep took it up."""

    @property
    def share(self) -> float:
        """Of its batches that are done."""
        if self.state == "done":
            return 1.0
        return self.position / self.length if self.length else 0.0

    def seconds_left(self, now: float) -> float | None:
        """At the pace it has had so far."""
        done = self.position - self.began_at
        if self.state != "running" or done <= 0:
            return None
        return (now - self.began) / done * (self.length - self.position)


Listener = Callable[[Entry], None]


@dataclass
class Board:
    """All runs of a sweep by name; executors report to it."""

    entries: dict[str, Entry]
    listener: Listener = lambda entry: None
    """Is told of every change of state."""
    began: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, jobs: Sequence[Job], expected: Mapping[str, float] | None = None) -> Board:
        """A board on which everything waits."""
        known = expected or {}
        return cls({job.name: Entry(job, known.get(job.name)) for job in jobs})

    def count(self, state: State) -> int:
        """Runs in this state."""
        return sum(entry.state == state for entry in self.entries.values())

    def in_state(self, state: State) -> list[Entry]:
        """Those runs."""
        return [entry for entry in self.entries.values() if entry.state == state]

    def started(self, name: str) -> None:
        """A worker has taken it up."""
        entry = self.entries[name]
        entry.state, entry.began = "running", time.monotonic()
        entry.position = entry.began_at = entry.length = 0
        self.listener(entry)

    def progressed(self, name: str, position: int, length: int, accuracy: float | None) -> None:
        """So many of its batches are done."""
        entry = self.entries[name]
        if entry.length == 0:
            # the time before the first word went into loading
            entry.began_at, entry.began = position, time.monotonic()
        entry.position, entry.length = position, length
        entry.accuracy = accuracy if accuracy is not None else entry.accuracy

    def ended(self, name: str, attempt: Attempt) -> None:
        """How a try at it ended."""
        entry = self.entries[name]
        states: dict[str, State] = {
            "done": "done",
            "failed": "failed",
            "elsewhere": "elsewhere",
            "stopped": "waiting",
        }
        entry.state, entry.reason = states[attempt.status], attempt.reason
        if attempt.accuracy is not None:
            entry.accuracy = attempt.accuracy
        self.listener(entry)

    def seconds_left(self, workers: int) -> float | None:
        """Of the whole sweep, by the estimates; None if a run has none."""
        known = [e for e in self.entries.values() if e.expected_seconds is not None]
        if len(known) < len(self.entries):
            return None
        work = sum(
            (e.expected_seconds or 0.0) * (1 - e.share) for e in known if e.state != "failed"
        )
        return work / max(1, workers)

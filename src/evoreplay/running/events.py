"""The log of a run: one JSON object a line, cut back when a run resumes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


class EventLog:
    """Append events to a file; `length` is what a checkpoint records."""

    def __init__(
        self,
        path: Path,
        length: int = 0,
        observe: Callable[[dict[str, Any]], None] = lambda event: None,
    ) -> None:
        """Open `path`; whatever stands in it beyond `length` bytes is dropped.

        `observe` is told every event: those that stay, then those that come.
        """
        path.touch()
        os.truncate(path, min(length, path.stat().st_size))
        self._file = path.open("ab")
        self._observe = observe
        for event in read_events(path):
            observe(event)

    def write(self, event: str, **fields: Any) -> None:
        """One line."""
        told = {"event": event, **fields}
        self._file.write((json.dumps(told) + "\n").encode())
        self._observe(told)

    def flush(self) -> None:
        """Hand everything to the operating system."""
        self._file.flush()

    @property
    def length(self) -> int:
        """Bytes written so far, all of them flushed."""
        self.flush()
        return self._file.tell()

    def close(self) -> None:
        """Flush and close."""
        self._file.close()


def read_events(path: Path) -> list[dict[str, Any]]:
    """All whole lines of a log."""
    events = []
    for line in path.read_text().splitlines():
        try:
            events.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return events

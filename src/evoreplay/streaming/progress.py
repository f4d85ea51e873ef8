"""Where a stream is: a bar on a terminal, a few plain lines in a log file."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PARTS = 10
"""Lines of a log file for a stream whose length is known."""


class StreamProgress:
    """The display of one stream; use it as a context, and call it after each batch."""

    def __init__(
        self, length: int | None, *, shown: bool = True, console: Console | None = None
    ) -> None:
        self.length = length
        self.console = console or Console(stderr=True)
        self._live = shown and self.console.is_terminal
        self._plain = shown and not self._live
        self._last_part = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            console=self.console,
            disable=not self._live,
        )
        self._task = self._bar.add_task("stream", total=length, note="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def __call__(self, batch: int, accuracy: float) -> None:
        """So many batches were taken; `accuracy` is the newest."""
        note = f"batch {batch}" if self.length is None else f"batch {batch} of {self.length}"
        note += f", accuracy {accuracy:.1%}"
        if self._live:
            self._bar.update(self._task, completed=batch, note=note)
        elif self._plain and self._is_due(batch):
            self.console.print(note, markup=False, highlight=False, soft_wrap=True)

    def _is_due(self, batch: int) -> bool:
        if self.length is None:
            return is_round(batch)
        part = PARTS * batch // max(1, self.length)
        due, self._last_part = part != self._last_part, part
        return due


def is_round(number: int) -> bool:
    """1, 2 or 5 times a power of ten: an endless stream fills no log file with lines."""
    return str(number).rstrip("0") in ("1", "2", "5")


def length_of(stream: Iterable[Any]) -> int | None:
    """How many batches there will be, if the stream knows."""
    try:
        return len(stream)  # type: ignore[arg-type]
    except TypeError:  # also from a DataLoader of a dataset without a length
        return None

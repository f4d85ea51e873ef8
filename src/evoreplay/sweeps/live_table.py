"""A sweep on the terminal: a live table for a person, plain lines for a log file."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evoreplay.sweeps.board import Board, Entry

MOST_ROWS = 12


class LiveTable:
    """Shows a board while it changes; use it as a context and call it now and then."""

    def __init__(
        self, console: Console, board: Board, *, workers: int, quiet: bool = False
    ) -> None:
        self.console, self.board, self.workers = console, board, workers
        self._quiet = quiet
        self._live: Live | None = None
        if console.is_terminal and not quiet:
            self._live = Live(console=console, auto_refresh=False, transient=True)
        board.listener = self._changed

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self) -> None:
        """Draw it as it is now."""
        if self._live is not None:
            self._live.update(self.picture(), refresh=True)

    def picture(self) -> Group:
        """Counts, and a row for each run that is under way or failed."""
        rows = Table.grid(padding=(0, 2), expand=False)
        now = time.monotonic()
        for entry in self.board.in_state("running")[:MOST_ROWS]:
            bar = ProgressBar(total=1.0, completed=entry.share, width=24)
            left = entry.seconds_left(now)
            rows.add_row(
                Text(entry.job.name),
                bar,
                Text(f"{entry.share:.0%}", justify="right"),
                Text("" if entry.accuracy is None else f"accuracy {entry.accuracy:.1%}"),
                Text("" if left is None else f"{duration(left)} left"),
            )
        for entry in self.board.in_state("elsewhere")[:MOST_ROWS]:
            rows.add_row(Text(entry.job.name), Text("is run by another process"))
        failed = [
            Text(f"failed: {entry.job.name}: {entry.reason}", style="red", overflow="ellipsis")
            for entry in self.board.in_state("failed")[-MOST_ROWS:]
        ]
        return Group(Text(self.summary(), style="bold"), rows, *failed)

    def summary(self) -> str:
        """All in one line."""
        words = [f"{self.board.count('done')} of {len(self.board.entries)} runs done"]
        for state, word in (("running", "running"), ("waiting", "waiting"), ("failed", "failed")):
            count = self.board.count(state)  # type: ignore[arg-type]
            if count:
                words.append(f"{count} {word}")
        left = self.board.seconds_left(self.workers)
        if left is not None and left > 0:
            words.append(f"about {duration(left)} left")
        return ", ".join(words)

    def _changed(self, entry: Entry) -> None:
        if self._quiet:
            return
        words = {
            "done": f"done, accuracy {entry.accuracy or 0:.1%}",
            "failed": f"failed: {entry.reason}",
            "waiting": f"interrupted ({entry.reason}), goes on later",
            "elsewhere": "is run by another process, looked at again later",
        }.get(entry.state)
        if words is None:
            return
        done = self.board.count("done") + self.board.count("failed")
        counted = (
            f"[{done}/{len(self.board.entries)}] " if entry.state in ("done", "failed") else ""
        )
        self.console.print(
            f"{counted}{entry.job.name}: {words}", markup=False, highlight=False, soft_wrap=True
        )


def duration(seconds: float) -> str:
    """In the two largest units that say something: 45 s, 12 min, 3 h 20 min, 2 d 4 h."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h"

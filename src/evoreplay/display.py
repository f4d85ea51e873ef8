"""Progress on the terminal: live bars for a person, plain lines for a log file."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from evoreplay.running import Progress


class Display:
    """Shows the runs of one command; use it as a context and as the runs' listener."""

    def __init__(self, console: Console, *, total_runs: int, quiet: bool = False) -> None:
        self.console = console
        self._quiet = quiet
        self._live = console.is_terminal and not quiet
        self._total_runs = total_runs
        self._last_tenth = -1
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._all = self._bars.add_task("all runs", total=total_runs, note="", visible=False)
        self._one = self._bars.add_task("", total=None, note="", visible=False)

    def __enter__(self) -> Self:
        if self._live:
            self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._bars.stop()

    def __call__(self, progress: Progress) -> None:
        """One more batch was learned."""
        config, note = progress.config, ""
        if progress.accuracy is not None:
            note = f"accuracy {progress.accuracy:.1%}"
        name = f"{config.dataset} {config.method} seed {config.seed}"
        if self._live:
            self._bars.update(
                self._one,
                description=name,
                total=progress.length,
                completed=progress.position,
                note=note,
                visible=True,
            )
            return
        tenth = 10 * progress.position // progress.length
        if not self._quiet and self._total_runs == 1 and tenth != self._last_tenth:
            self._last_tenth = tenth
            self.line(f"{name}: batch {progress.position} of {progress.length} {note}".rstrip())

    def finished(self, text: str) -> None:
        """A run is done."""
        self._last_tenth = -1
        self._bars.update(self._all, advance=1, visible=self._total_runs > 1)
        if not self._quiet:
            self.line(text)

    def line(self, text: str) -> None:
        """A line that stays."""
        plain_line(self.console, text)


def plain_line(console: Console, text: str) -> None:
    """Text as it is: names of runs and paths are no markup, and are never folded."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)

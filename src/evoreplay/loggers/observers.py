"""The loggers of one run: they see everything, change nothing, and none can stop it.

`events.jsonl` is the truth. A log is begun from nothing each time a run begins or goes on, gets the
events that are there, then those that come; so after a crash no step is in it twice. Once it is
whole a file `complete` says so.
"""

from __future__ import annotations

import contextlib
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from evoreplay.loggers.logger import Event, Logger, Settings, event_numbers, result_numbers
from evoreplay.loggers.surroundings import untouched_randomness
from evoreplay.loggers.table import LOGGERS
from evoreplay.storage import clear_leftovers, temporary_name, write_file

COMPLETE = "complete"


class Observers:
    """The open loggers by name; one that fails is given up with a warning."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loggers: dict[str, Logger] = {}

    def open(self, name: str, title: str, settings: Settings) -> None:
        """Begin the log of this name from nothing."""

        def begin() -> None:
            log = _emptied(self._folder / name)
            self._loggers[name] = LOGGERS[name](log, title, settings)

        self._guarded(name, begin)

    def event(self, event: Event) -> None:
        """One line of `events.jsonl`."""
        self._log(event_numbers(event), event["step"])

    def result(self, result: Mapping[str, Any], step: int) -> None:
        """What a finished run gave, after all its `step` batches."""
        self._log(result_numbers(result), step)

    def close(self, *, finished: bool) -> None:
        """Close every log; those of a finished run are complete."""

        def end(name: str, logger: Logger) -> None:
            logger.close(finished=finished)
            if finished:
                write_file(self._folder / name / COMPLETE, b"")

        self._each(end)
        self._loggers.clear()

    def _log(self, numbers: Mapping[str, float], step: int) -> None:
        if numbers:
            self._each(lambda name, logger: logger.log(numbers, step))

    def _each(self, action: Callable[[str, Logger], None]) -> None:
        for name, logger in list(self._loggers.items()):
            self._guarded(name, partial(action, name, logger))

    def _guarded(self, name: str, action: Callable[[], None]) -> None:
        with untouched_randomness():
            try:
                action()
            except Exception as error:
                failed = self._loggers.pop(name, None)
                with contextlib.suppress(Exception):
                    if failed is not None:
                        failed.close(finished=False)
                warnings.warn(
                    f"the {name} log is given up: {type(error).__name__}: {error}. The run is not "
                    "touched; once it is finished the same command makes the log anew",
                    stacklevel=4,
                )


@contextmanager
def observing(
    folder: Path, names: Iterable[str], *, title: str, settings: Settings
) -> Iterator[Observers]:
    """Loggers that write below `folder`, closed whatever happens inside."""
    observers = Observers(folder)
    finished = False
    try:
        for name in dict.fromkeys(names):
            observers.open(name, title, settings)
        yield observers
        finished = True
    finally:
        observers.close(finished=finished)


def incomplete(folder: Path, names: Iterable[str]) -> list[str]:
    """Those of `names` whose log in `folder` is not there, or not whole."""
    return [name for name in names if not (folder / name / COMPLETE).exists()]


def _emptied(folder: Path) -> Path:
    """The folder, made anew. The old one gets out of the way before it is removed:

    a helper process of a killed run may still be writing to it.
    """
    folder.parent.mkdir(exist_ok=True)
    clear_leftovers(folder.parent)
    if folder.exists():
        old = folder.rename(temporary_name(folder))
        shutil.rmtree(old, ignore_errors=True)
    folder.mkdir()
    return folder

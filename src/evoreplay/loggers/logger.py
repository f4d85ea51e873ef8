"""What a logger is, and the shape of what it gets: numbers under names like paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

Settings = Mapping[str, Any]
"""The config of a run: plain data by name."""
Event = Mapping[str, Any]
"""One line of `events.jsonl`."""


class Logger(Protocol):
    """Takes what a run tells. It may raise anything: the run goes on without it."""

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        """Numbers by name after `step` batches; steps never go back."""

    def close(self, *, finished: bool) -> None:
        """The run is over, or stopped before its end."""


OpenLogger = Callable[[Path, str, Settings], Logger]
"""From an empty folder, the name of the run and its settings to a logger."""


def event_numbers(event: Event) -> dict[str, float]:
    """The numbers of an event: step/stream_loss, measured/anytime, measured/segments/0.

    That a run began, and how long it is, is no measurement.
    """
    if event["event"] == "began":
        return {}
    told = {name: value for name, value in event.items() if name not in ("event", "step")}
    return _numbers(told, str(event["event"]))


def result_numbers(result: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a result: result/final_accuracy, result/per_class_accuracy/0.

    Its lists are histories, told by events or kept in `result.json`, and its settings are known.
    """
    known = {"config", "versions", *result["config"]}
    found = {k: v for k, v in result.items() if k not in known and not isinstance(v, list)}
    return _numbers(found, "result")


def _numbers(value: Any, name: str) -> dict[str, float]:
    """Every number in nested data; what is None or no number is left out."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {name: float(value)}
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    found: dict[str, float] = {}
    for key, item in items:
        found |= _numbers(item, f"{name}/{key}")
    return found

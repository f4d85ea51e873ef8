"""What a run measured of its memory, as it is read from `result.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evoreplay.errors import require
from evoreplay.reports.reading import number, share

LARGEST_DISTANCE = 2.0
"""Of a squared discrepancy under a kernel of at most 1."""


class Known(NamedTuple):
    """How well the network knows its own memory."""

    loss: float | None
    """Mean cross-entropy."""
    accuracy: float | None


class Distance(NamedTuple):
    """Squared maximum mean discrepancy to past data, in feature space."""

    raw: float | None
    evolved: float | None
    """None without a flow."""


class Rise(NamedTuple):
    """What evolution does to the examples."""

    before: float | None
    """Mean loss before evolution."""
    after: float | None
    """And after it."""
    moved: float | None
    """RMS of the displacement."""

    @property
    def rise(self) -> float | None:
        """Of the loss."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


@dataclass(frozen=True)
class MeasuredMemory:
    """By batch of the stream; all empty without a memory and in older runs."""

    measured: bool = False
    """False for a run that was made before these were measured."""
    known: Mapping[int, Known] = field(default_factory=dict)
    distance: Mapping[int, Distance] = field(default_factory=dict)
    rise: Mapping[int, Rise] = field(default_factory=dict)
    """Empty without a flow."""


def measured_memory(result: Mapping[str, Any]) -> MeasuredMemory:
    """From `memory_loss`, `memory_distance` and `memory_loss_rise`, each checked."""
    return MeasuredMemory(
        measured="memory_distance" in result,
        known={
            int(m["batch"]): Known(_loss(m["loss"]), share(m["accuracy"]))
            for m in result.get("memory_loss") or ()
        },
        distance={
            int(m["batch"]): Distance(_distance(m["raw"]), _distance(m["evolved"]))
            for m in result.get("memory_distance") or ()
        },
        rise={
            int(m["batch"]): Rise(_loss(m["before"]), _loss(m["after"]), _loss(m["moved"]))
            for m in result.get("memory_loss_rise") or ()
        },
    )


def _loss(value: Any) -> float | None:
    found = number(value)
    require(found is None or found >= 0, f"{value!r} is below 0")
    return found


def _distance(value: Any) -> float | None:
    found = number(value)
    require(
        found is None or abs(found) <= LARGEST_DISTANCE,
        f"{value!r} is no distance: it is not in [-{LARGEST_DISTANCE:g}, {LARGEST_DISTANCE:g}]",
    )
    return found

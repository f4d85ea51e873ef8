"""What is said of the memory of a row: over its seeds, at the end of the stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evoreplay.reports.comparisons import NO_DIFFERENCE, Comparison, verdict
from evoreplay.reports.groups import Group
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.statistics import Summary, paired_differences, summary

Moment = TypeVar("Moment")


@dataclass(frozen=True)
class MemoryNumbers:
    """None where there is nothing: no memory, no flow, or a run made before it was measured."""

    measured: bool
    """Whether any run of the row was made since these are measured."""
    moved: Summary | None
    """RMS displacement of replayed examples, mean over the stream."""
    loss_rise: Summary | None
    """Mean loss after evolution minus that before."""
    raw_distance: Summary | None
    evolved_distance: Summary | None
    farther: Summary | None
    """Distance of evolved minus that of raw memory, paired by seed."""
    farther_words: str | None
    loss: Summary | None
    """Mean cross-entropy of raw memory examples."""
    by_heart: Summary | None
    """Accuracy on memory minus final test accuracy, in percentage points."""
    by_heart_to_reference: Comparison | None
    """The same, against that of `er`."""


def memory_numbers(group: Group, reference: Group | None) -> MemoryNumbers:
    """All of them; `reference` is the `er` of the same conditions."""
    raw, evolved = group.by_seed(raw_distance), group.by_seed(evolved_distance)
    farther = paired_differences(evolved, raw)
    by_heart = group.by_seed(learned_by_heart)
    return MemoryNumbers(
        measured=any(run.memory.measured for run in group.runs),
        moved=_summary(group.by_seed(lambda run: run.memory_moved)),
        loss_rise=_summary(group.by_seed(loss_rise)),
        raw_distance=_summary(raw),
        evolved_distance=_summary(evolved),
        farther=farther,
        farther_words=distance_words(farther) if evolved else None,
        loss=_summary(group.by_seed(loss)),
        by_heart=_summary(by_heart),
        by_heart_to_reference=None
        if reference is None or not by_heart
        else _compared(by_heart, reference),
    )


def distance_words(farther: Summary | None) -> str:
    """What the interval of evolved minus raw allows to say."""
    if farther is None:
        return "fewer than 2 seeds"
    if not farther.excludes_zero:
        return NO_DIFFERENCE
    return f"evolved is {'farther from' if farther.mean > 0 else 'nearer to'} past data than raw"


def raw_distance(run: FinishedRun) -> float | None:
    """Of the memory as it is."""
    moment = last(run.memory.distance)
    return None if moment is None else moment.raw


def evolved_distance(run: FinishedRun) -> float | None:
    """Of the memory as it is replayed."""
    moment = last(run.memory.distance)
    return None if moment is None else moment.evolved


def loss_rise(run: FinishedRun) -> float | None:
    """By evolution."""
    moment = last(run.memory.rise)
    return None if moment is None else moment.rise


def loss(run: FinishedRun) -> float | None:
    """Of the memory as it is."""
    moment = last(run.memory.known)
    return None if moment is None else moment.loss


def learned_by_heart(run: FinishedRun) -> float | None:
    """Accuracy on memory minus final accuracy on test examples, in percentage points."""
    moment = last(run.memory.known)
    if moment is None or moment.accuracy is None:
        return None
    return 100 * (moment.accuracy - run.final_accuracy)


def last(moments: Mapping[int, Moment]) -> Moment | None:
    """At the latest batch."""
    return moments[max(moments)] if moments else None


def accuracy_on_past(run: FinishedRun) -> dict[int, float]:
    """Accuracy on test examples of the segments that were seen, by batch, at segment ends."""
    if len(run.segment_ends) != len(run.matrix):
        return {}
    found = {}
    for column, batch in enumerate(run.segment_ends):
        seen = [value for row in run.matrix if (value := _at(row, column)) is not None]
        if seen:
            found[batch] = sum(seen) / len(seen)
    return found


def _at(row: Sequence[float | None], column: int) -> float | None:
    return row[column] if column < len(row) else None


def _compared(ours: Mapping[int, float], reference: Group) -> Comparison:
    difference = paired_differences(ours, reference.by_seed(learned_by_heart))
    words = verdict(difference, reference.label)
    return Comparison(reference.label, reference.method, difference, words)


def _summary(values: Mapping[int, float]) -> Summary | None:
    return summary(list(values.values())) if values else None

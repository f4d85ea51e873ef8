"""What is said of the memory of a row: over its seeds, at the end of the stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evoreplay.reports.comparisons import NO_DIFFERENCE, Comparison, compare
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
    raw = group.by_seed(lambda run: last(run.memory.distance, lambda found: found.raw))
    evolved = group.by_seed(lambda run: last(run.memory.distance, lambda found: found.evolved))
    rise = group.by_seed(lambda run: last(run.memory.rise, lambda found: found.rise))
    loss = group.by_seed(lambda run: last(run.memory.known, lambda found: found.loss))
    by_heart = group.by_seed(learned_by_heart)
    farther = paired_differences(evolved, raw)
    return MemoryNumbers(
        measured=any(run.memory.measured for run in group.runs),
        moved=_summary(group.by_seed(lambda run: run.memory_moved)),
        loss_rise=_summary(rise),
        raw_distance=_summary(raw),
        evolved_distance=_summary(evolved),
        farther=farther,
        farther_words=distance_words(farther) if evolved else None,
        loss=_summary(loss),
        by_heart=_summary({seed: 100 * share for seed, share in by_heart.items()}),
        by_heart_to_reference=None
        if reference is None or not by_heart
        else compare(group, reference, learned_by_heart),
    )


def distance_words(farther: Summary | None) -> str:
    """What the interval of evolved minus raw allows to say."""
    if farther is None:
        return "fewer than 2 seeds"
    if not farther.excludes_zero:
        return NO_DIFFERENCE
    return f"evolved is {'farther from' if farther.mean > 0 else 'nearer to'} past data than raw"


def learned_by_heart(run: FinishedRun) -> float | None:
    """Accuracy on memory minus final accuracy on test examples."""
    accuracy = last(run.memory.known, lambda known: known.accuracy)
    return None if accuracy is None else accuracy - run.final_accuracy


def last(moments: Mapping[int, Moment], value: Callable[[Moment], float | None]) -> float | None:
    """A number of the latest moment, if there is one."""
    return value(moments[max(moments)]) if moments else None


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


def _summary(values: Mapping[int, float]) -> Summary | None:
    return summary(list(values.values())) if values else None

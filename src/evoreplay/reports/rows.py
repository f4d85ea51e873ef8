"""All numbers of a row, computed once; tables and files only write them down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evoreplay.errors import UserError
from evoreplay.reports.comparisons import (
    Comparison,
    compare,
    controls_of,
    is_reference,
    reference_of,
)
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.memory_numbers import MemoryNumbers, memory_numbers
from evoreplay.reports.paper_numbers import PaperNumber, paper_accuracy, paper_cost
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.statistics import Summary, paired_ratios, summary
from evoreplay.running import Config
from evoreplay.running.config import with_settings
from evoreplay.running.costs import relative_cost


@dataclass(frozen=True)
class Row:
    """A group of runs and what is said of it; accuracies in percent."""

    group: Group
    accuracy: Summary
    forgetting: Summary | None
    """None for streams on which nothing can be forgotten."""
    is_reference: bool
    """Whether this is the `er` that others are compared with."""
    to_reference: Comparison | None
    to_noise: Comparison | None
    """Against the control of equal noise."""
    to_twice: Comparison | None
    """Against the control of equal weight."""
    paper: PaperNumber | None
    seconds_per_step: Summary | None
    """CPU time, of the runs that `cost` is of, if it is of any."""
    cost: Summary | None
    """Time of a step relative to `er`, by seed."""
    predicted_cost: float | None
    """The same by counting passes through the network."""
    paper_cost: PaperNumber | None
    memory: MemoryNumbers


def rows_of(section: Section) -> list[Row]:
    """One for each group, in their order."""
    return [_row(group, section.groups) for group in section.groups]


def percent(values: Sequence[float]) -> Summary | None:
    """Summary of shares, in percent; None of nothing."""
    return summary([100 * value for value in values]) if values else None


def _row(group: Group, groups: Sequence[Group]) -> Row:
    accuracy = percent(list(group.final_accuracy.values()))
    assert accuracy is not None
    reference, controls = reference_of(group, groups), controls_of(group, groups)
    timed_against = group if is_reference(group) else reference
    comparable = {} if timed_against is None else _comparable_times(group, timed_against)
    seconds = comparable or _times(group)
    return Row(
        group=group,
        accuracy=accuracy,
        forgetting=percent(list(group.by_seed(lambda run: run.forgetting).values())),
        is_reference=is_reference(group),
        to_reference=_compared(group, reference),
        to_noise=_compared(group, controls.noise),
        to_twice=_compared(group, controls.twice),
        paper=paper_accuracy(group),
        seconds_per_step=summary(list(seconds.values())) if seconds else None,
        cost=None if timed_against is None else relative_times(group, timed_against),
        predicted_cost=_predicted_cost(group),
        paper_cost=paper_cost(group),
        memory=memory_numbers(group, reference),
    )


def relative_times(group: Group, other: Group) -> Summary | None:
    """CPU time of a step divided by that of the other row, by seed on the same kind of CPU."""
    return paired_ratios(_comparable_times(group, other), _times(other))


def _times(group: Group) -> dict[int, float]:
    return group.by_seed(lambda run: run.seconds_per_step)


def _comparable_times(group: Group, other: Group) -> dict[int, float]:
    """Of runs on the kind of CPU that the other's run of the seed had: two kinds are two clocks."""
    theirs = {run.seed: run for run in other.runs}

    def comparable(run: FinishedRun) -> float | None:
        pair = theirs.get(run.seed)
        alike = pair is not None and pair.versions.get("cpu") == run.versions.get("cpu")
        return run.seconds_per_step if alike else None

    return group.by_seed(comparable)


def _compared(group: Group, other: Group | None) -> Comparison | None:
    return None if other is None else compare(group, other)


def _predicted_cost(group: Group) -> float | None:
    try:
        config = with_settings(Config(), group.config)
        # a step on a layer costs what the head does, and the model is not here
        found = {relative_cost(config, head_share) for head_share in (0.0, 1.0)}
        return found.pop() if len(found) == 1 else None
    except UserError:
        # a method or a setting of another version
        return None

"""What the time of a flow would have bought otherwise: `er` with a larger replay batch.

Evolution costs passes through the network, and so does replaying more examples in each step. So
beside its controls of equal noise and equal weight, which cost less than it does, a flow has one of
equal cost: the same stream, model, memory and training, no flow, and as many more replayed examples
as its time pays for. Which rows are that is not guessed: every `er` with a larger replay batch is
listed, with the time of the flow's step divided by its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from evoreplay.reports.along_table import mean_along_stream
from evoreplay.reports.attack_comparisons import attack_measures
from evoreplay.reports.comparisons import CONDITIONS, FLOWS, compare, is_reference
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.rows import relative_times
from evoreplay.reports.tables import EMPTY, Cell, Column, Table, compared_cell, decimal

ATTACK = "PGD at 4/255"
LIKE = tuple(field for field in CONDITIONS if field != "replay_size")
NOTES = (
    "er that replays more examples in each step, instead of evolving as many as the row does; "
    "stream, model, memory and training are the same. Time: CPU time of a step of the row divided "
    "by that of this er, by seed on the same kind of CPU; runs that shared a machine with other "
    "work are not a fair clock, evoreplay bench times steps in turns. Near 1, this er is the "
    "control of equal cost. Differences are in percentage points, paired by seed, each interval "
    "for itself.",
)


def larger_batch_table(section: Section) -> Table | None:
    """A line for each flow and each such `er` of two of its seeds; None without any."""
    pairs = [
        (group, other)
        for group in section.groups
        if group.flow in FLOWS and group.base == "er"
        for other in with_larger_batch(group, section.groups)
        if compare(group, other).difference is not None
    ]
    if not pairs:
        return None
    return Table(
        "larger-batch",
        f"The same time on a larger replay batch: {section.title}",
        [
            Column("method", numeric=False),
            Column("compared with", numeric=False),
            Column("time of a step, relative to it"),
            Column("final accuracy, difference, 95 % paired interval"),
            Column("along the stream"),
            Column(f"under {ATTACK}"),
        ],
        [_cells(section, group, other) for group, other in pairs],
        list(NOTES),
    )


def with_larger_batch(group: Group, groups: Sequence[Group]) -> list[Group]:
    """Rows of `er` that replay more in each step and have all else of this one but its flow."""
    return [
        other
        for other in groups
        if is_reference(other)
        and group.same(other, LIKE)
        and other.config["replay_size"] > group.config["replay_size"]
    ]


def _cells(section: Section, group: Group, other: Group) -> list[Cell]:
    time = relative_times(group, other)
    attacked = dict(attack_measures(section, other)).get(ATTACK)
    return [
        Cell(group.label),
        Cell(other.label),
        EMPTY if time is None else Cell(decimal(time.mean, 2), value=time.mean),
        compared_cell(group, other),
        compared_cell(group, other, mean_along_stream),
        EMPTY if attacked is None else compared_cell(group, other, attacked),
    ]

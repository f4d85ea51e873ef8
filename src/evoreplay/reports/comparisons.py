"""Which rows a row is compared with, and in which words.

A row is compared with `er` under the same conditions, and a flow with its controls: the same noise
without a gradient and, if raw and evolved examples are both replayed, twice the replay weight. More
or less noise is no control: at the paper's rate it decides the accuracy. The comparison is paired
by seed. An interval that contains 0 is never a win.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evoreplay.errors import UserError
from evoreplay.learners.replay_weights import replay_weights
from evoreplay.reports.groups import Group
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.statistics import Summary, paired_differences

NO_DIFFERENCE = "no difference shown"
TOO_FEW = "fewer than 2 seeds in common"
STREAM = ("stream", "segments", "epochs", "width", "transition", "schedule", "imbalance")
TRAINING = ("batch_size", "lr", "updates", "model", "precision", "forward")
MEMORY = ("memory_size", "replay_size")
CONDITIONS = (*STREAM, *TRAINING, *MEMORY, "measured_on")
"""What a row and its reference have in common."""
OVERRULING = ("memory", "retrieval", "transforms", "raw_weight")
"""With one of these, `er` is another method."""
EVOLUTION = (
    *("recipe", "raw_weight", "evolved_weight", "rate", "steps", "step"),
    *("statistics", "write_back", "clamp", "memory", "retrieval", "transforms"),
    *("space", "input_rate", "evolve_stream", "friction", "initial_velocity"),
    *("candidates", "stride", "reg", "decay", "edit_sign"),
)
"""What a flow and its control have in common besides."""
TWICE = 2.0
Measure = Callable[[FinishedRun], float | None]
FLOWS = ("ld", "svgd", "hmc")
NOISE_OF = {"ld": "langevin", "hmc": "hamiltonian"}
"""Stein's flow draws none."""


class Comparison(NamedTuple):
    """A row against another."""

    against: str
    """The label of the other row."""
    method: str
    """Its method."""
    difference: Summary | None
    """In percentage points, of final accuracy usually; None with fewer than two common seeds."""
    words: str


class Controls(NamedTuple):
    """Rows that have all of a flow but its gradient."""

    noise: Group | None
    """As much noise, or as far a way in random directions."""
    twice: Group | None
    """As much weight of replay, where raw and evolved examples weigh 2 together; for `er`."""


def reference_of(group: Group, groups: Sequence[Group]) -> Group | None:
    """The `er` row under the same conditions; None for that row itself."""
    if is_reference(group):
        return None
    return nearest(group, groups, lambda other: is_reference(other) and _alike(group, other))


def is_reference(group: Group) -> bool:
    """Whether this is plain `er`."""
    return group.method == "er" and all(group.config[field] is None for field in OVERRULING)


def controls_of(group: Group, groups: Sequence[Group]) -> Controls:
    """The controls of a flow that are there; none for other methods."""
    base, _, flow = group.method.partition("+")
    if flow not in FLOWS:
        return Controls(None, None)
    match, temperature = _noise_of(group, flow)
    noise = nearest(
        group,
        groups,
        lambda other: (
            other.method == f"{base}+noise"
            and (other.config["match"], other.config["temperature"]) == (match, temperature)
            and _alike(group, other)
            and group.same(other, EVOLUTION)
        ),
    )
    twice = None
    # an evolved stream weighs more than 1 itself, and er-x2 has no such weight
    if base == "er" and _replayed_weight(group) == TWICE and not group.config["evolve_stream"]:
        twice = nearest(
            group,
            groups,
            lambda other: (
                other.method == "er-x2"
                and all(other.config[field] is None for field in OVERRULING)
                and _alike(group, other)
            ),
        )
    return Controls(noise, twice)


def final_accuracy(run: FinishedRun) -> float:
    """What rows are compared by, if nothing else is said."""
    return run.final_accuracy


def compare(group: Group, other: Group, measure: Measure = final_accuracy) -> Comparison:
    """A share, usually final accuracy, against that of the other row, by seed."""
    ours, theirs = group.by_seed(measure), other.by_seed(measure)
    difference = paired_differences(ours, theirs, scale=100)
    return Comparison(other.label, other.method, difference, verdict(difference, other.label))


def verdict(difference: Summary | None, other: str) -> str:
    """What the interval allows to say."""
    if difference is None:
        return TOO_FEW
    if not difference.excludes_zero:
        return NO_DIFFERENCE
    return f"{'higher' if difference.mean > 0 else 'lower'} than {other}"


def _noise_of(group: Group, flow: str) -> tuple[str | None, float]:
    """Match and temperature of the noise control."""
    temperature = group.config["temperature"]
    if flow in NOISE_OF and temperature > 0:
        return NOISE_OF[flow], temperature
    # nothing to match but the way that it goes: rate times steps, for normalised steps of
    # Langevin's drift; a velocity or a kernel takes examples another way
    goes_as_far = flow == "ld" and group.config["step"] == "normalised"
    return ("distance" if goes_as_far else None), 0.0


def _replayed_weight(group: Group) -> float:
    config = group.config
    try:
        weights = replay_weights(config["recipe"], config["raw_weight"], config["evolved_weight"])
    except UserError:  # a recipe of another version
        return 0.0
    return sum(weights)


def _alike(group: Group, other: Group) -> bool:
    return group.same(other, CONDITIONS)


def nearest(group: Group, groups: Sequence[Group], suits: Callable[[Group], bool]) -> Group | None:
    """Of several that suit, the one that differs in the fewest other settings."""

    def distance(other: Group) -> tuple[int, str]:
        differing = sum(group.config[f] != other.config.get(f) for f in group.config)
        return differing, other.label

    return min((other for other in groups if suits(other)), key=distance, default=None)

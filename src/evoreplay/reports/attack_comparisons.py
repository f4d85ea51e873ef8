"""Accuracy under attack against `er` and against the controls, paired by seed."""

from __future__ import annotations

from collections.abc import Iterator

from evoreplay.reports.attack_tables import carlini_wagner_attacks, pgd_settings
from evoreplay.reports.comparisons import Measure, compare, controls_of, reference_of
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.robustness import PIXEL, eps_text
from evoreplay.reports.tables import EMPTY, Cell, Column, Table, comparison_cell

SHOWN_LEVELS = (1, 2, 4, 8)
"""Of the eps of a curve, in grey levels; the other points are in the curve itself."""


def attack_comparison_table(section: Section) -> Table | None:
    """A line for each method and attack; None where nothing was attacked, or nothing to compare."""
    controls = {group: controls_of(group, section.groups) for group in section.groups}
    # most pages have no use for this one
    twice = any(found.twice is not None for found in controls.values())
    lines = []
    for group, found in controls.items():
        others = [reference_of(group, section.groups), found.noise]
        others += [found.twice] if twice else []
        for name, measure in attack_measures(section, group):
            if not any(_has(other, measure) for other in others):
                continue
            lines.append([
                Cell(group.label),
                Cell(name),
                *(
                    EMPTY if other is None else comparison_cell(compare(group, other, measure))
                    for other in others
                ),
            ])  # fmt: skip
    if not lines:
        return None
    names = ["er", "noise control", *(["er-x2"] if twice else [])]
    return Table(
        "under-attack",
        f"Accuracy under attack, compared: {section.title}",
        [
            Column("method", numeric=False),
            Column("attack", numeric=False),
            *(Column(f"difference to {name}, 95 % paired interval") for name in names),
        ],
        lines,
        ["Percentage points of accuracy under attack, paired by seed; each interval for itself."],
    )


def _has(group: Group | None, measure: Measure) -> bool:
    return group is not None and bool(group.by_seed(measure))


def attack_measures(section: Section, group: Group) -> Iterator[tuple[str, Measure]]:
    """What was measured of this group, by name."""
    for settings in pgd_settings(section.groups):
        for level in SHOWN_LEVELS:
            pgd = _pgd_at(level / PIXEL, settings)
            if _has(group, pgd):
                yield f"PGD at {eps_text(level / PIXEL)}", pgd
    for name, budget in carlini_wagner_attacks(group):
        yield f"C&W {name}", _carlini_wagner(name, budget)
        at_half = _carlini_wagner(name, budget, at_half=True)
        if _has(group, at_half):
            yield f"C&W {name}, l2 ≤ 0.5", at_half


def _pgd_at(eps: float, settings: str) -> Measure:
    def measure(run: FinishedRun) -> float | None:
        if run.robustness is None or run.robustness.pgd_settings != settings:
            return None
        points = run.robustness.pgd.items()
        return next((share for at, share in points if abs(at - eps) < 1e-9), None)

    return measure


def _carlini_wagner(name: str, budget: str, *, at_half: bool = False) -> Measure:
    def measure(run: FinishedRun) -> float | None:
        found = None if run.robustness is None else run.robustness.carlini_wagner.get(name)
        if found is None or found.budget != budget:
            return None
        return found.accuracy_at_half if at_half else found.accuracy

    return measure

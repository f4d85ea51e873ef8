"""Tables of accuracy under attack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from evoreplay.reports.groups import Group, Section
from evoreplay.reports.paper_numbers import paper_carlini_wagner
from evoreplay.reports.robustness import CarliniWagner, eps_text
from evoreplay.reports.rows import percent
from evoreplay.reports.statistics import summary
from evoreplay.reports.tables import Cell, Column, Table, paper_cell, spread_cell


def attack_tables(section: Section) -> list[Table]:
    """Projected gradient by eps, and Carlini-Wagner by budget, where there are any."""
    found = (pgd_table(section), carlini_wagner_table(section))
    return [table for table in found if table is not None]


def pgd_settings(groups: Sequence[Group]) -> list[str]:
    """All settings of projected gradient attacks; curves of different ones are not averaged."""
    return sorted({
        run.robustness.pgd_settings
        for group in groups
        for run in group.runs
        if run.robustness is not None and run.robustness.pgd
    })  # fmt: skip


def pgd_curves(group: Group, settings: str) -> list[dict[float, float]]:
    """Accuracy by eps of each run of the group that was attacked with these settings."""
    return [
        dict(run.robustness.pgd)
        for run in group.runs
        if run.robustness is not None
        and run.robustness.pgd
        and run.robustness.pgd_settings == settings
    ]


def pgd_table(section: Section) -> Table | None:
    """Accuracy by eps."""
    lines, all_eps = [], set()
    for settings in pgd_settings(section.groups):
        for group in section.groups:
            curves = pgd_curves(group, settings)
            if curves:
                lines.append((group, settings, curves))
                all_eps |= {eps for curve in curves for eps in curve}
    if not lines:
        return None
    ordered = sorted(all_eps)
    used = {settings for _, settings, _ in lines}
    # the same settings for all are said once
    common = f" Attack: {used.pop()}." if len(used) == 1 else ""
    return Table(
        "pgd",
        f"Accuracy % under projected gradient attack: {section.title}",
        [
            Column("method", numeric=False),
            Column("n (seeds)"),
            *(Column(f"eps {eps_text(eps)}") for eps in ordered),
        ],
        [
            [
                Cell(group.label, "" if common else settings),
                Cell(str(len(curves)), value=len(curves)),
                *(spread_cell(percent([c[eps] for c in curves if eps in c])) for eps in ordered),
            ]
            for group, settings, curves in lines
        ],
        [
            "Mean ± standard deviation (ddof 1); eps in units of [0, 1] pixels, 0 is no attack."
            + common
        ],
    )


def carlini_wagner_attacks(group: Group) -> dict[tuple[str, str], list[CarliniWagner]]:
    """What the attacks on the runs of a group left, by name and budget."""
    found: dict[tuple[str, str], list[CarliniWagner]] = defaultdict(list)
    for run in group.runs:
        for name, attack in run.robustness.carlini_wagner.items() if run.robustness else ():
            found[name, attack.budget].append(attack)
    return dict(sorted(found.items()))


def carlini_wagner_table(section: Section) -> Table | None:
    """Accuracy by budget; the budget stands beside the number."""
    lines = []
    for group in section.groups:
        for (name, budget), own in carlini_wagner_attacks(group).items():
            moved = [attack.mean_l2 for attack in own if attack.mean_l2 is not None]
            halves = [a.accuracy_at_half for a in own if a.accuracy_at_half is not None]
            lines.append([
                Cell(group.label),
                Cell(name, budget),
                Cell(str(len(own)), value=len(own)),
                spread_cell(percent([attack.accuracy for attack in own])),
                spread_cell(summary(moved) if moved else None, 3),
                spread_cell(percent(halves)),
                paper_cell(paper_carlini_wagner(group)),
            ])  # fmt: skip
    if not lines:
        return None
    return Table(
        "carlini-wagner",
        f"Accuracy % under the Carlini-Wagner l2 attack: {section.title}",
        [
            Column("method", numeric=False),
            Column("budget", numeric=False),
            Column("n (seeds)"),
            Column("accuracy %: mean ± sd"),
            Column("mean l2 of successes"),
            Column("accuracy % at l2 ≤ 0.5"),
            Column("paper: mean ± sd"),
        ],
        lines,
        ["The paper states no budget; an unlimited attack brings any accuracy to 0."],
    )

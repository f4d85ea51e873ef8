"""Which attacks there are, how hard they try, and how `robustness.json` tells what they found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from evoreplay.attacks import CarliniWagner, ProjectedGradient
from evoreplay.errors import require, unknown

RADII = tuple(n / 255 for n in range(11))
"""Of PGD by default; at 0 the accuracy is the clean one."""
CARLINI_WAGNER = {
    "quick": CarliniWagner(searches=1, constant=1.0, steps=50, rate=0.01),
    "full": CarliniWagner(searches=9, constant=1e-3, steps=1000, rate=0.01),
}
HALF = 0.5
"""The l_2 radius at which the accuracy under C&W is told, too."""

BudgetedAttack = ProjectedGradient | CarliniWagner
Found = dict[str, Any]
"""The content of `robustness.json`, or a part of it."""


class Measured(NamedTuple):
    """What an attack did to a number of examples."""

    examples: int
    distances: list[float | None]
    """Of those that were classified rightly: how far the attack went, None if it failed."""

    def accuracy(self, within: float = math.inf) -> float:
        """The share of all examples that stay right while changes are no larger than `within`."""
        standing = sum(1 for d in self.distances if d is None or d > within)
        return standing / self.examples


def attacks_of(name: str, budget: str, radii: Sequence[float] | None) -> list[BudgetedAttack]:
    """All that a name and a budget stand for."""
    if name not in ("pgd", "cw"):
        raise unknown("attack", name, ("pgd", "cw"))
    if budget not in CARLINI_WAGNER:
        raise unknown("budget", budget, CARLINI_WAGNER)
    if name == "cw":
        require(not radii, "cw has no eps: it looks for the smallest change; give eps to pgd")
        return [CARLINI_WAGNER[budget]]
    require(budget == "quick", f"pgd has one budget, and {budget!r} was given; leave it out")
    return [ProjectedGradient(eps=eps) for eps in sorted({*(radii or RADII)})]


def is_known(attack: BudgetedAttack, found: Found) -> bool:
    """Whether `robustness.json` tells what this attack did."""
    if isinstance(attack, ProjectedGradient):
        return attack.eps in _known_curve(found, attack)
    entries = found.get("cw", {}).values()
    return any(_settings(attack).items() <= entry.items() for entry in entries)


def with_measured(found: Found, measured: Mapping[BudgetedAttack, Measured]) -> Found:
    """What was found before and what is new; another attack's key stays as it is."""
    found = dict(found)
    for attack, result in measured.items():
        if isinstance(attack, ProjectedGradient):
            curve = _known_curve(found, attack) | {attack.eps: result.accuracy()}
            points = [{"eps": eps, "accuracy": curve[eps]} for eps in sorted(curve)]
            found["pgd"] = _settings(attack) | {"curve": points}
        else:
            (budget,) = (name for name, known in CARLINI_WAGNER.items() if known == attack)
            entries = found.get("cw", {}) | {budget: _settings(attack) | _nearness(result)}
            found["cw"] = {name: entries[name] for name in CARLINI_WAGNER if name in entries}
    return found


def _nearness(result: Measured) -> Found:
    successes = [d for d in result.distances if d is not None]
    return {
        "accuracy": result.accuracy(),
        "mean_l2": fmean(successes) if successes else None,
        "accuracy_at_half": result.accuracy(within=HALF),
    }


def _settings(attack: BudgetedAttack) -> Found:
    if isinstance(attack, ProjectedGradient):
        return {
            "norm": attack.norm,
            "steps": attack.steps,
            "step_size": attack.length,
            "restarts": attack.restarts,
        }
    names = ("searches", "constant", "steps", "rate")
    return {name: getattr(attack, name) for name in names}


def _known_curve(found: Found, attack: ProjectedGradient) -> dict[float, float]:
    """Accuracy by eps; a curve of other settings counts for nothing."""
    known = found.get("pgd", {})
    if not _settings(attack).items() <= known.items():
        return {}
    return {point["eps"]: point["accuracy"] for point in known["curve"]}

"""How much raw and evolved replay weigh in the loss, by recipe."""

from __future__ import annotations

from evoreplay.errors import unknown

RECIPES: dict[str, tuple[float, float]] = {"paper": (0.0, 1.0), "reference": (1.0, 1.0)}
"""The weights of raw and evolved replay when there is a flow; without one raw has weight 1."""


def replay_weights(
    recipe: str, raw: float | None, evolved: float | None, *, evolves: bool = True
) -> tuple[float, float]:
    """Of raw and evolved replay: those of the recipe where they are left open."""
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    usual_raw, usual_evolved = RECIPES[recipe] if evolves else (1.0, 0.0)
    return usual_raw if raw is None else raw, usual_evolved if evolved is None else evolved

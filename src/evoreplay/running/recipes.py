"""Recipes: what a flow is run with where the config leaves it open.

A recipe also says how much raw and evolved replay weigh (`learners.replay_weights`). Whatever a
config says itself overrules it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from evoreplay.errors import unknown


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Settings of a flow; None is the dataset's protocol."""

    steps: int = 5
    rate: float | None = None
    temperature: float = 1.0
    step: Literal["raw", "normalised"] = "raw"
    alignment: float = 0.003
    space: dict[str, str] | None = None
    """The layer to evolve, by the name of the network; others evolve where the protocol says."""


PAPER = Recipe()
RECIPES = {"paper": PAPER, "reference": replace(PAPER)}


def find_recipe(name: str) -> Recipe:
    """By name, or an error with the nearest one."""
    if name not in RECIPES:
        raise unknown("recipe", name, RECIPES)
    return RECIPES[name]

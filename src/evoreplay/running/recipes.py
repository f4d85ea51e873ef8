"""Recipes of a run: what a flow takes where the config leaves it open.

`paper` and `reference` say what is replayed, and the flow has the paper's numbers. `tuned`, the
default, is `reference` with the best numbers that were found for the network
(docs/results/recipe_search.md). It is a short name for these settings, so a run that spells them
out is the same run. Where nothing better was found, or nothing was tried (other networks, flows
other than Langevin's), `tuned` is `reference`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from evoreplay.errors import unknown
from evoreplay.learners.replay_weights import RECIPES
from evoreplay.running.config import Config

NAMES = (*RECIPES, "tuned")
OF_PAPER: dict[str, Any] = {
    "steps": 5,
    "temperature": 1.0,
    "step": "raw",
    "alignment": 0.003,
    "match": "langevin",
    "input_rate": 0.0,
}
SMALL_STEPS: dict[str, Any] = {
    "steps": 2,
    "rate": 0.02,
    "temperature": 0.0,
    "step": "normalised",
    "alignment": 0.0,
}
"""Two normalised steps of 2 % of the size of what moves, no noise, no dot product."""
TUNED: dict[str, dict[str, Any]] = {
    "resnet18": {**SMALL_STEPS, "space": "layer3", "input_rate": 0.01},
    "text": {**SMALL_STEPS, "space": "embedding"},
}
"""By the network."""
TUNED_FLOWS = ("ld", "noise")
OF_FLOWS = (
    *("steps", "rate", "temperature", "step", "clamp", "friction", "initial_velocity", "match"),
    *("alignment", "dot_product", "proximity"),
)
"""Fields that only a flow, or its energy, asks for."""
DECIDED = (*OF_PAPER, "rate", "space")
"""Fields that a recipe may decide."""


def with_recipe(config: Config, model: str, flow: str | None) -> Config:
    """The config with what its recipe decides for this flow; `tuned` is written out."""
    if config.recipe not in NAMES:
        raise unknown("recipe", config.recipe, NAMES)
    if flow is None:
        # the same run, so the same name, under every recipe
        return _filled(replace(config, recipe="paper"), OF_PAPER)
    if config.recipe != "tuned":
        return _filled(config, OF_PAPER)
    numbers = TUNED.get(model, {}) if flow in TUNED_FLOWS else {}
    return _filled(replace(config, recipe="reference"), OF_PAPER | _fitting(numbers, config, flow))


def without_flow_settings(config: Config, used: Collection[str]) -> Config:
    """The config of a method without a flow: what a grid says of flows makes it no other run."""
    usual = {name: getattr(Config(), name) for name in OF_FLOWS if name not in used}
    return replace(config, **usual)


def _fitting(numbers: dict[str, Any], config: Config, flow: str) -> dict[str, Any]:
    """The tuned numbers as this flow, and the space that the config names, can have them."""
    fitting = dict(numbers)
    if config.space == "input":
        # no step beside those of the input itself
        fitting.pop("input_rate", None)
    steps = _filled(config, fitting)
    if flow == "noise" and numbers and (steps.step, steps.temperature) == ("normalised", 0):
        # steps without noise have none to match: the control goes as far in a random direction
        fitting["match"] = "distance"
    return fitting


def _filled(config: Config, settings: dict[str, Any]) -> Config:
    """What the config says itself stays."""
    open_fields = {name: v for name, v in settings.items() if getattr(config, name) is None}
    return replace(config, **open_fields)

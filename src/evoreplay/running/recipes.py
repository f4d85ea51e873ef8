"""Recipes of a run: what a flow takes where the config leaves it open.

`paper` and `reference` say what is replayed, and the flow has the paper's numbers. `tuned` is
`reference` with the best numbers found on CIFAR-10 (docs/results/recipe_search.md): two normalised
steps of 2 % of the features after the third stage of the ResNet and a step of 0.01 of the input
beside, no noise, no dot product. It is a short name for these settings, so a run that spells them
out is the same run. Its noise control goes as far in a random direction: steps without noise have
none to match.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evoreplay.errors import require, unknown
from evoreplay.learners.replay_weights import RECIPES
from evoreplay.running.config import Config

OF_PAPER: dict[str, Any] = {
    "steps": 5,
    "temperature": 1.0,
    "step": "raw",
    "alignment": 0.003,
    "match": "langevin",
    "input_rate": 0.0,
}
TUNED: dict[str, Any] = {
    "steps": 2,
    "rate": 0.02,
    "temperature": 0.0,
    "step": "normalised",
    "alignment": 0.0,
}
TUNED_MATCH = {"noise": "distance"}
"""By the flow; others do not ask for it, and have the value that all runs had."""
TUNED_SPACES = {"resnet18": "layer3"}
"""Where the tuned steps are taken, by the model; no other was tried."""
TUNED_INPUT_RATE = 0.01
"""For these models, where a layer evolves; inputs of others may not be able to move."""


def with_recipe(config: Config, model: str, flow: str | None) -> Config:
    """The config with what its recipe decides for this flow; `tuned` is written out."""
    names = [*RECIPES, "tuned"]
    if config.recipe not in names:
        raise unknown("recipe", config.recipe, names)
    if flow is None:
        # the same run, so the same name, under every recipe
        return _filled(replace(config, recipe="paper"), OF_PAPER)
    if config.recipe != "tuned":
        return _filled(config, OF_PAPER)
    require(
        config.space is not None or model in TUNED_SPACES,
        f"recipe is tuned, which moves the features after the third stage of resnet18, and the "
        f"model is {model}; name a layer of it (space=LAYER), or take recipe=reference",
    )
    space = config.space or TUNED_SPACES[model]
    beside = model in TUNED_SPACES and space != "input"
    settings = {
        **TUNED,
        "match": TUNED_MATCH.get(flow, "langevin"),
        "input_rate": TUNED_INPUT_RATE if beside else 0.0,
    }
    return _filled(replace(config, recipe="reference", space=space), settings)


def _filled(config: Config, settings: dict[str, Any]) -> Config:
    """What the config says itself stays."""
    open_fields = {name: v for name, v in settings.items() if getattr(config, name) is None}
    return replace(config, **open_fields)

"""What goes without saying of a run: its protocol's settings, by the recipe that it is nearest to.

A recipe decides many settings at once and is written out in the config of a run, so its name is
found again by comparing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoreplay.errors import UserError
from evoreplay.running import Config
from evoreplay.running.config import as_dict
from evoreplay.running.protocol import resolved
from evoreplay.running.recipes import NAMES

NOT_IN_LABELS = frozenset({"dataset", "method", "seed", "scale"})
HARDWARE = ("precision", "device")
"""Their default is decided by the machine, so no value of theirs goes without saying."""
DEFAULT_RECIPE = Config.recipe
RECIPES = sorted(NAMES, key=lambda name: name != DEFAULT_RECIPE)


def recipe_of(config: Mapping[str, Any]) -> str:
    """The recipe whose settings a row has, or differs from in the fewest; the default first."""
    usual = {name: config_by(name, config) for name in RECIPES}
    alike = [name for name in RECIPES if usual[name]["recipe"] == config["recipe"]]
    return min(alike or RECIPES, key=lambda name: _differing(config, usual[name]))


def usual_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """What the protocol gives for this dataset, method, seed and scale, by the row's recipe."""
    return config_by(recipe_of(config), config)


def config_by(recipe: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """What the protocol gives for this dataset, method, seed and scale, on a plain CPU."""
    named = {field: config[field] for field in NOT_IN_LABELS} | {"recipe": recipe}
    try:
        return as_dict(resolved(Config(**named, device="cpu", precision="float32")))
    except UserError:
        # a dataset or method of another version: nothing is known of its protocol
        return as_dict(Config(**named))


def settings_beside_protocol(config: Mapping[str, Any]) -> dict[str, Any]:
    """Those that `--set` has to name: the recipe, if not the default, and what it does not give."""
    recipe, usual = recipe_of(config), usual_config(config)
    named = {} if recipe == DEFAULT_RECIPE else {"recipe": recipe}
    return named | {
        field: value
        for field, value in config.items()
        if field not in (*NOT_IN_LABELS, *HARDWARE) and value != usual.get(field)
    }


def _differing(config: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    return sum(config.get(field) != value for field, value in other.items())

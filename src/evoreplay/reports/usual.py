"""What goes without saying of a run: its protocol's settings, by the recipe that it is nearest to.

A recipe decides many settings at once and is written out in the config of a run, so its name is
found again by comparing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evoreplay.errors import UserError
from evoreplay.running import Config
from evoreplay.running.config import as_dict
from evoreplay.running.protocol import resolved
from evoreplay.running.recipes import NAMES

IDENTITY = ("dataset", "method", "seed", "scale")
"""Fields that say which run it is: the protocol gives the others for them."""
HARDWARE = ("precision", "device")
"""Their default is decided by the machine, so no value of theirs goes without saying."""


def recipe_of(config: Mapping[str, Any]) -> str:
    """The recipe whose settings a row has, or differs from in the fewest.

    Of two that are the same settings, the one that the config names.
    """
    usual = {name: config_by(name, config) for name in NAMES}
    alike = [name for name in NAMES if usual[name]["recipe"] == config["recipe"]]

    def distance(name: str) -> tuple[int, bool]:
        differing = sum(config.get(field) != value for field, value in usual[name].items())
        return differing, name != config["recipe"]

    return min(alike or NAMES, key=distance)


def has_default_recipe(config: Mapping[str, Any]) -> bool:
    """Whether its recipe goes without saying."""
    return usual_config(config) == config_by(Config.recipe, config)


def usual_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the protocol gives for this dataset, method, seed and scale, by the row's recipe."""
    return config_by(recipe_of(config), config)


def config_by(recipe: str, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the protocol gives for this dataset, method, seed and scale, on a plain CPU."""
    return _config_by(recipe, *(config[field] for field in IDENTITY))


@lru_cache(maxsize=4096)
def _config_by(recipe: str, *identity: Any) -> Mapping[str, Any]:
    named = dict(zip(IDENTITY, identity, strict=True)) | {"recipe": recipe}
    try:
        return as_dict(resolved(Config(**named, device="cpu", precision="float32")))
    except UserError:
        # a dataset or method of another version: nothing is known of its protocol
        return as_dict(Config(**named))


def settings_beside_protocol(config: Mapping[str, Any]) -> dict[str, Any]:
    """Those that `--set` has to name: the recipe, if not the default, and what it does not give."""
    named = {} if has_default_recipe(config) else {"recipe": recipe_of(config)}
    usual = usual_config(config)
    return named | {
        field: value
        for field, value in config.items()
        if field not in (*IDENTITY, *HARDWARE) and value != usual.get(field)
    }

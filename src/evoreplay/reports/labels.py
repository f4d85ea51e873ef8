"""What a row is called: its method, and the settings by which it differs from other rows.

A recipe decides many settings at once, so a row is told by the recipe that it is nearest to and by
what it has otherwise. With more settings than a label can hold, a letter stands for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evoreplay.reports.usual import (
    HARDWARE,
    IDENTITY,
    has_default_recipe,
    recipe_of,
    usual_config,
)
from evoreplay.running.recipes import DECIDED

MOST_COMPARED = 2
"""Settings that all rows of a method name; with more of them a label could not be read."""
MOST_NAMED = 3
"""Settings in a label; more of them are told once, under a letter."""
BY_RECIPE = "by the recipe"
"""Stands for a value that the recipe of the row decides."""
DEVICE, CONTROLLED = "device", "replay_size"
Named = tuple[tuple[str, str], ...]
"""Settings and their values, as text."""


def named_settings(configs: Sequence[Mapping[str, Any]]) -> list[Named]:
    """For each row what sets it apart from the others."""
    told = [_told(config) for config in configs]
    varying = _varying(told)
    return [_named(config, own, told, varying) for config, own in zip(configs, told, strict=True)]


def common_settings(configs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all rows have and some protocol does not give."""
    told = [_told(config) for config in configs]
    varying = _varying(told)
    unusual = {
        field
        for config, own in zip(configs, told, strict=True)
        for field in own
        if _is_unusual(config, own, field)
    }
    values = {**configs[0], "recipe": max((own["recipe"] for own in told), key=bool)}
    return {
        field: value
        for field, value in values.items()
        if field in unusual and field not in (*varying, *IDENTITY, *HARDWARE)
    }


def letters_for(labels: Iterable[Named]) -> dict[Named, str]:
    """A, B, ... for those that name too many settings."""
    long = sorted({named for named in labels if len(named) > MOST_NAMED})
    return {named: number_in_letters(place) for place, named in enumerate(long)}


def number_in_letters(number: int) -> str:
    """0, 1, ... as A to Z, then AA, AB, ..."""
    before, last = divmod(number, 26)
    return ("" if before == 0 else number_in_letters(before - 1)) + chr(ord("A") + last)


def setting_text(value: Any) -> str:
    """A value as after `--set name=`."""
    return value if isinstance(value, str) else json.dumps(value)


def _named(
    config: Mapping[str, Any],
    told: Mapping[str, Any],
    all_told: Sequence[Mapping[str, Any]],
    varying: list[str],
) -> Named:
    """What sets a row apart.

    A setting is named if it varies in the section and this row has not what the protocol says.
    Where rows of this method differ in a setting or two, those are named in all of them, but not
    beside the name of a recipe that decides them. The device always is: its default depends on the
    machine. The size of the replay batch never is for its own sake: `er` with another one is a
    control, and the row that it controls keeps its name.
    """
    own = [other for other in all_told if other["method"] == config["method"]]
    compared = [field for field in varying if _differ(own, field)]
    always = {DEVICE, *(compared if len(compared) <= MOST_COMPARED else ())} - {CONTROLLED}
    if "recipe" in always:
        always -= {field for field in always if told.get(field) == BY_RECIPE}
    values = {**config, "recipe": told["recipe"]}
    return tuple(
        (field, setting_text(values.get(field)))
        for field in varying
        if field in always or _is_unusual(config, told, field)
    )


def _told(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config with the name of its recipe, which stands for all that the recipe decides."""
    usual = usual_config(config)
    as_decided = {f: BY_RECIPE for f in DECIDED if f in config and config[f] == usual.get(f)}
    # without a flow all recipes are one
    recipe = recipe_of(config) if "+" in config["method"] else None
    return {**config, **as_decided, "recipe": recipe}


def _is_unusual(config: Mapping[str, Any], told: Mapping[str, Any], field: str) -> bool:
    if field == "recipe":
        return told[field] is not None and not has_default_recipe(config)
    return told.get(field) not in (BY_RECIPE, usual_config(config).get(field))


def _varying(told: Sequence[Mapping[str, Any]]) -> list[str]:
    """Fields in which some rows differ."""
    return [field for field in _label_fields(told) if _differ(told, field)]


def _label_fields(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Fields that a label may name, in the order of the config."""
    present = dict.fromkeys(field for config in configs for field in config)
    return [field for field in present if field not in IDENTITY]


def _differ(configs: Sequence[Mapping[str, Any]], field: str) -> bool:
    values = [config.get(field) for config in configs]
    if field == "recipe":
        values = [value for value in values if value is not None]
    return any(value != values[0] for value in values)

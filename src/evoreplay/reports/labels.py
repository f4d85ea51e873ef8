"""What a row is called: its method, and the settings by which it differs from other rows.

With more settings than a label can hold, a letter stands for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evoreplay.errors import UserError
from evoreplay.running import Config
from evoreplay.running.config import as_dict
from evoreplay.running.protocol import resolved

NOT_IN_LABELS = frozenset({"dataset", "method", "seed", "scale"})
MOST_COMPARED = 2
"""Settings that all rows of a method name; with more of them a label could not be read."""
MOST_NAMED = 3
"""Settings in a label; more of them are told once, under a letter."""
HARDWARE = ("precision", "device")
"""Their default is decided by the machine, so no value of theirs goes without saying."""
Named = tuple[tuple[str, str], ...]
"""Settings and their values, as text."""


def named_settings(configs: Sequence[Mapping[str, Any]]) -> list[Named]:
    """For each row what sets it apart from the others."""
    varying = varying_fields(configs)
    return [_named(config, configs, varying) for config in configs]


def varying_fields(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Those in which some differ."""
    return [field for field in label_fields(configs) if _differ(configs, field)]


def letters_for(labels: Iterable[Named]) -> dict[Named, str]:
    """A, B, ... for those that name too many settings."""
    long = sorted({named for named in labels if len(named) > MOST_NAMED})
    return {named: number_in_letters(place) for place, named in enumerate(long)}


def number_in_letters(number: int) -> str:
    """0, 1, ... as A to Z, then AA, AB, ..."""
    before, last = divmod(number, 26)
    return ("" if before == 0 else number_in_letters(before - 1)) + chr(ord("A") + last)


def usual_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """What the protocol gives for this dataset, method, seed and scale, on a plain CPU."""
    named = {field: config[field] for field in NOT_IN_LABELS}
    try:
        return as_dict(resolved(Config(**named, device="cpu", precision="float32")))
    except UserError:
        # a dataset or method of another version: nothing is known of its protocol
        return as_dict(Config(**named))


def setting_text(value: Any) -> str:
    """A value as after `--set name=`."""
    return value if isinstance(value, str) else json.dumps(value)


def _named(
    config: Mapping[str, Any], configs: Sequence[Mapping[str, Any]], varying: list[str]
) -> Named:
    """What sets a row apart.

    A setting is named if it varies in the section and this row has not what the protocol says.
    Where rows of this method differ in a setting or two, those are named in all of them.
    """
    own = [other for other in configs if other["method"] == config["method"]]
    usual = usual_config(config)
    compared = [field for field in varying if _differ(own, field)]
    always = {*HARDWARE, *(compared if len(compared) <= MOST_COMPARED else ())}
    return tuple(
        (field, setting_text(config.get(field)))
        for field in varying
        if field in always or config.get(field) != usual.get(field)
    )


def label_fields(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Fields that a label may name, in the order of the config."""
    present = dict.fromkeys(field for config in configs for field in config)
    return [field for field in present if field not in NOT_IN_LABELS]


def _differ(configs: Sequence[Mapping[str, Any]], field: str) -> bool:
    return any(config.get(field) != configs[0].get(field) for config in configs)

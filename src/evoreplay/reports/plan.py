"""What a grid asks for: its rows, and the seeds of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evoreplay.running import Config
from evoreplay.running.config import as_dict


@dataclass(frozen=True)
class PlannedRow:
    """Runs that are to differ in their seed alone."""

    config: Mapping[str, Any]
    """That of its first run."""
    seeds: frozenset[int]


Plan = Mapping[str, PlannedRow]
"""By the key of the row."""
NO_PLAN: Plan = {}


def row_key(config: Mapping[str, Any]) -> str:
    """The same for runs that differ in their seed alone."""
    return json.dumps({**config, "seed": None}, sort_keys=True)


def plan_of(configs: Iterable[Config]) -> Plan:
    """The rows of these runs, whose open fields are decided."""
    plan: dict[str, PlannedRow] = {}
    for config in map(as_dict, configs):
        before = plan.get(row_key(config), PlannedRow(config, frozenset()))
        seeds = before.seeds | {config["seed"]}
        plan[row_key(config)] = PlannedRow(before.config, seeds)
    return plan


def is_planned(config: Mapping[str, Any], plan: Plan) -> bool:
    """Whether the run of this config, with its seed, is one of the plan."""
    row = plan.get(row_key(config))
    return row is not None and config["seed"] in row.seeds

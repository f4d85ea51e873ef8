"""Experiment files: a small YAML that stands for a grid of runs, or a list of such grids."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from evoreplay.errors import UserError, require, unknown
from evoreplay.running.config import Config, with_settings

KEYS = ("dataset", "method", "seeds", "set")
FIELDS = {field.name for field in fields(Config)} - {"seed"}
NESTED = {"clamp": 1, "transforms": 1, "schedule": 2}


def read_experiment(path: Path) -> list[Config]:
    """Every config of the grid, datasets x methods x seeds x listed settings; of all grids."""
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not YAML: {_trouble(error)}") from error
    grids = _listed(content)
    require(
        bool(grids) and all(isinstance(grid, dict) for grid in grids),
        f"{path} holds no settings; write dataset, method, seeds and set as YAML keys, or a list "
        "of such grids",
    )
    for key in (key for grid in grids for key in grid):
        require(
            key not in FIELDS or key in KEYS,
            f"{key} stands beside dataset and method in {path.name}; write it under set: "
            f"set: {{{key}: ...}}",
        )
        if key not in KEYS:
            raise unknown(f"key in {path.name}", str(key), KEYS)
    return [config for grid in grids for config in expand(grid)]


def expand(content: dict[str, Any]) -> list[Config]:
    """The product of all axes; a list in `set` is one more axis."""
    settings = content.get("set") or {}
    require(isinstance(settings, dict), f"set is {settings!r}; give names and values")
    for name in ("dataset", "method", "seed", "seeds"):
        require(
            name not in settings,
            f"{name} stands under set; write it as a key of its own: dataset, method, seeds",
        )
    axes: dict[str, list[Any]] = {
        "dataset": _listed(content.get("dataset", Config.dataset)),
        "method": _listed(content.get("method", Config.method)),
        **{name: _values(name, value) for name, value in settings.items()},
        "seed": seeds(content.get("seeds", 1)),
    }
    configs = [
        with_settings(Config(), dict(zip(axes, values, strict=True)))
        for values in product(*axes.values())
    ]
    require(bool(configs), "the grid is empty; give at least one dataset, method and seed")
    return configs


def seeds(value: Any) -> list[int]:
    """3 means 0, 1, 2; a list means itself."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return list(range(value))
    if isinstance(value, list) and all(type(s) is int and s >= 0 for s in value):
        return value
    raise UserError(f"seeds is {value!r}; give how many (1 or more) or a list of numbers")


def _trouble(error: yaml.YAMLError | UnicodeDecodeError) -> str:
    """The first line of what is wrong, and where."""
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
    return f"{getattr(error, 'problem', None) or str(error).splitlines()[0]}{where}"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _values(name: str, value: Any) -> list[Any]:
    # a clamp is itself a list, a schedule a list of lists: only what is deeper is an axis
    if name in NESTED and _depth(value) <= NESTED[name]:
        return [value]
    return _listed(value)


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0

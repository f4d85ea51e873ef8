"""From an experiment file and what the command line says to a list of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

from evoreplay.errors import UserError, require, unknown
from evoreplay.running.config import Config, as_dict, run_name, with_settings
from evoreplay.running.experiment_file import read_experiment
from evoreplay.running.protocol import resolved


class Job(NamedTuple):
    """One run of a sweep."""

    name: str
    """Of its run directory."""
    config: Config
    """With every open field decided."""


def known_experiments() -> list[str]:
    """Names of the experiments that come with the package."""
    folder = files("evoreplay") / "experiments"
    return sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if ".yaml" in f.name)


def experiment_configs(name: str) -> list[Config]:
    """Of a file, or of an experiment that comes with the package, by its name."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return read_experiment(path)
    if name not in known_experiments():
        raise unknown("experiment", name, known_experiments())
    with as_file(files("evoreplay") / "experiments" / f"{name}.yaml") as own:
        return read_experiment(own)


def make_grid(
    configs: Iterable[Config],
    *,
    seeds: int | None = None,
    only: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> list[Job]:
    """Every run once, all methods of one seed before those of the next.

    `seeds` counts from 0 and takes the place of the file's; `only` keeps runs with those values,
    and `settings` overrule the file.
    """
    listed = [with_settings(config, settings or {}) for config in configs]
    if seeds is not None:
        require(seeds >= 1, f"--seeds is {seeds}; give 1 or more")
        listed = [with_settings(c, {"seed": s}) for s in range(seeds) for c in listed]
    decided = [resolved(config) for config in listed]
    wanted = parse_only(only)
    kept = [config for config in decided if _matches(config, wanted)]
    require(
        bool(kept),
        f"no run of the grid has {', '.join(only)}; --dry-run without --only shows what there is",
    )
    jobs = {run_name(config): Job(run_name(config), config) for config in kept}
    return sorted(jobs.values(), key=lambda job: job.config.seed)


def parse_only(texts: Sequence[str]) -> dict[str, set[str]]:
    """`dataset=cifar10,method=er+ld` to allowed values by field; a field twice allows either."""
    wanted: dict[str, set[str]] = {}
    names = [field.name for field in fields(Config)]
    for text in (part for whole in texts for part in whole.split(",")):
        name, separator, value = text.partition("=")
        if not separator:
            raise UserError(f"--only got {text!r}; write it as field=value, e.g. method=er+ld")
        if name not in names:
            raise unknown("field in --only", name, names)
        wanted.setdefault(name, set()).add(value)
    return wanted


def _matches(config: Config, wanted: Mapping[str, set[str]]) -> bool:
    values = as_dict(config)
    return all(_text(values[name]) in allowed for name, allowed in wanted.items())


def _text(value: Any) -> str:
    # 0.1 in a file, 0.10 or 1e-1 on the command line: numbers are compared as written by Python
    return str(value).lower() if isinstance(value, bool) else str(value)

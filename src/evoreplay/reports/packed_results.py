"""The results of many runs in one file, and back: what a page of results is made from.

The file is a JSON list, one run to a line, sorted by the name of the run: the whole of its
`result.json` and, under "robustness", that of its `robustness.json` if it has one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evoreplay.errors import UserError, require
from evoreplay.reports.plan import is_planned, plan_of
from evoreplay.reports.reading import read_json
from evoreplay.reports.results import FinishedRun
from evoreplay.running import Config
from evoreplay.running.config import name_of_run
from evoreplay.storage import write_json

ROBUSTNESS = "robustness"
NAME = re.compile(r"[\w+-]+")
HASH = re.compile(r"[0-9a-f]{8}")


def packed(runs: Iterable[FinishedRun], planned: Iterable[Config]) -> list[dict[str, Any]]:
    """The results of those runs that are planned, each as it is in its files."""
    plan = plan_of(planned)
    entries = [_entry(run) for run in runs if is_planned(run.config, plan)]
    return sorted(entries, key=_run_name)


def packed_text(entries: Iterable[dict[str, Any]]) -> str:
    """JSON with a line for each run, so that one more run is one more line."""
    lines = ",\n".join(json.dumps(entry, allow_nan=False) for entry in entries)
    return f"[\n{lines}\n]\n"


def unpacked(results: Path, folder: Path) -> list[Path]:
    """Make the run directories of a packed file in `folder`; `write_report` reads them.

    All names are checked before anything is written, and nothing that is there is touched.
    """
    entries = read_json(results)
    require(
        isinstance(entries, list) and bool(entries),
        f"{results.name} is no list of results; give a results.json of `evoreplay reproduce`",
    )
    directories: dict[Path, dict[str, Any]] = {}
    for number, entry in enumerate(entries, start=1):
        try:
            path = folder / _run_name(entry)
        except UserError as error:
            raise UserError(f"entry {number} of {results.name} is no result: {error}") from error
        require(
            path not in directories,
            f"{results.name} has {path.name} twice; take out one of the two",
        )
        require(
            not os.path.lexists(path),
            f"{path} is there already; give a folder that does not exist yet",
        )
        directories[path] = entry
    for path, entry in directories.items():
        _write_run(path, entry)
    return list(directories)


def _entry(run: FinishedRun) -> dict[str, Any]:
    entry: dict[str, Any] = read_json(run.path / "result.json")
    # one that cannot be used is not in the report either
    if run.robustness is not None:
        entry[ROBUSTNESS] = read_json(run.path / "robustness.json")
    return entry


def _run_name(entry: Any) -> str:
    """As `running.config.run_name` has it, of an entry that may hold anything."""
    require(isinstance(entry, dict), "it is no dictionary")
    config, digits = entry.get("config"), entry.get("config_hash")
    require(isinstance(config, dict), "it has no config")
    require(
        isinstance(digits, str) and HASH.fullmatch(digits) is not None,
        f"its config_hash is {digits!r}, which is not eight hexadecimal digits",
    )
    dataset, method, seed = (config.get(field) for field in ("dataset", "method", "seed"))
    require(isinstance(dataset, str), f"its dataset is {dataset!r}, which is no name")
    require(isinstance(method, str), f"its method is {method!r}, which is no name")
    require(type(seed) is int, f"its seed is {seed!r}, which is no whole number")
    name = name_of_run(dataset, method, seed, digits)
    require(
        NAME.fullmatch(name) is not None,
        f"its run would be called {name!r}; letters, digits, + - and _ are allowed",
    )
    return name


def _write_run(path: Path, entry: dict[str, Any]) -> None:
    result = {key: value for key, value in entry.items() if key != ROBUSTNESS}
    try:
        path.mkdir(parents=True)
        if ROBUSTNESS in entry:
            write_json(path / "robustness.json", entry[ROBUSTNESS])
        # last, as a run does: it says that the run is finished
        write_json(path / "result.json", result)
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror or error}; give another folder"
        ) from error
    except RecursionError as error:
        raise UserError(f"the result of {path.name} is nested too deeply to be one") from error

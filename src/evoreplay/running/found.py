"""What is in a folder of runs: the run directories are the only truth."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from evoreplay.errors import NonFiniteLossError, UserError, require
from evoreplay.running.config import LATER_FIELDS, Config, with_settings
from evoreplay.running.directory import Result, read_result
from evoreplay.running.events import read_events
from evoreplay.running.interruption import Interrupted
from evoreplay.running.lock import RunningElsewhereError, is_locked
from evoreplay.storage import write_json

Status = Literal["finished", "running", "failed", "unfinished", "damaged"]


class FoundRun(NamedTuple):
    """One run directory."""

    path: Path
    status: Status
    config: Config
    result: Result | None = None
    """Of a finished run."""
    reason: str | None = None
    """Why it failed or what is damaged."""
    position: int = 0
    """The last batch in the log of an unfinished run."""
    length: int = 0
    """All its batches; 0 if the log does not say."""


def find_runs(folder: Path) -> Iterator[FoundRun]:
    """Every run directory in `folder` or below, by name; whatever else is there is passed over."""
    for path, folders, files in os.walk(folder):
        folders.sort()
        if "config.yaml" in files:
            folders.clear()
            found = read_run(Path(path))
            if found is not None:
                yield found


def read_config(path: Path) -> Config:
    """The config of the run in `path`."""
    try:
        settings = yaml.safe_load((path / "config.yaml").read_text())
        require(isinstance(settings, dict), "not a config")
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path / 'config.yaml'} cannot be read; give another run") from error
    return with_settings(Config(), LATER_FIELDS | settings)


def read_run(path: Path) -> FoundRun | None:
    """The run in this directory; None if it is something else."""
    try:
        config = read_config(path)
    except UserError:
        return None
    try:
        result = read_result(path)
    except UserError as error:
        return FoundRun(path, "damaged", config, reason=str(error))
    if result is not None:
        return FoundRun(path, "finished", config, result)
    events = _events(path)
    position = max((_number(event, "step") for event in events), default=0)
    length = max((_number(event, "batches") for event in events), default=0)
    if is_locked(path):
        return FoundRun(path, "running", config, None, None, position, length)
    reason = read_failure(path)
    status: Status = "unfinished" if reason is None else "failed"
    return FoundRun(path, status, config, None, reason, position, length)


@contextmanager
def failure_remembered(path: Path) -> Iterator[None]:
    """Why a run in `path` fails stays in its directory, until it succeeds; an error goes on."""
    try:
        yield
    except (Interrupted, RunningElsewhereError):  # it has not failed
        raise
    except (UserError, NonFiniteLossError) as error:
        _remember(path, str(error), "")
        raise
    except Exception as error:
        _remember(path, f"{type(error).__name__}: {error}", traceback.format_exc())
        raise
    with suppress(OSError):
        (path / "failed.json").unlink(missing_ok=True)


def _remember(path: Path, reason: str, details: str) -> None:
    with suppress(OSError):
        # a run that failed before it began has no directory to remember it
        if path.is_dir():
            write_failure(path, reason, details)


def write_failure(path: Path, reason: str, details: str = "") -> None:
    """Remember in the run directory why a run failed."""
    write_json(path / "failed.json", {"reason": reason, "details": details})


def read_failure(path: Path) -> str | None:
    """Why the run failed; None if it did not."""
    try:
        return str(json.loads((path / "failed.json").read_text())["reason"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _events(path: Path) -> list[dict[str, Any]]:
    try:
        return [e for e in read_events(path / "events.jsonl") if isinstance(e, dict)]
    except (OSError, UnicodeDecodeError):
        return []


def _number(event: dict[str, Any], name: str) -> int:
    value = event.get(name, 0)
    return value if isinstance(value, int) else 0

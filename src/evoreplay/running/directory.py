"""The run directory: one config, its log, its checkpoints, and at the end its result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from evoreplay.errors import UserError, require
from evoreplay.running.config import Config, as_dict, run_name, without_later_fields
from evoreplay.storage import plain, write_file, write_json

Result = dict[str, Any]


@dataclass(frozen=True)
class RunDirectory:
    """Where a run keeps everything; `result.json` is written last."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """Folders of state, newest last."""
        return self.path / "checkpoints"

    @property
    def snapshots(self) -> Path:
        """The memory at three moments."""
        return self.path / "snapshots"

    @property
    def events(self) -> Path:
        """The log."""
        return self.path / "events.jsonl"

    def write_tensors(self, name: str, tensors: dict[str, Tensor]) -> None:
        """A safetensors file, whole or not at all."""
        copies = {key: plain(value) for key, value in tensors.items()}
        write_file(self.path / f"{name}.safetensors", tensors_to_bytes(copies))

    def finish(self, result: Result) -> None:
        """Write `result.json`: from here on the run is done."""
        write_json(self.path / "result.json", result)


def open_run_directory(config: Config, out: Path) -> RunDirectory:
    """The directory of this config below `out`, made if need be; never one of another config."""
    path = out / run_name(config)
    wanted = yaml.safe_dump(as_dict(config), sort_keys=False)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if (path / "config.yaml").exists():
            found = yaml.safe_load((path / "config.yaml").read_text())
        else:
            # what a crash left of a first attempt is no reason to refuse
            leftovers = {"lock", "failed.json", *(p.name for p in path.glob(".*.tmp"))}
            if any(p.name not in leftovers for p in path.iterdir()):
                found = None
            else:
                write_file(path / "config.yaml", wanted.encode())
                found = as_dict(config)
    except OSError as error:
        raise UserError(
            f"cannot write to {path}: {error.strerror or error}; give another --out"
        ) from error
    except yaml.YAMLError:
        found = None
    same = isinstance(found, dict) and (
        without_later_fields(found) == without_later_fields(as_dict(config))
    )
    if not same:
        raise UserError(
            f"{path} belongs to another config; give another --out, or move that folder away"
        )
    return RunDirectory(path)


def read_result(path: Path) -> Result | None:
    """The result of a finished run, None of an unfinished one."""
    try:
        result: Result = json.loads((path / "result.json").read_text())
        require(isinstance(result, dict), "not a result")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UserError(f"{path / 'result.json'} cannot be read; remove it to run again") from error
    return result

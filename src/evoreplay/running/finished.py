"""Finished runs, found and read back: the config, the result, the data and the trained model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from torch import nn

from evoreplay.errors import UserError, require
from evoreplay.running.config import Config
from evoreplay.running.directory import Result, read_result
from evoreplay.running.found import find_runs, read_config
from evoreplay.running.protocol import resolved_device
from evoreplay.running.setup import Experiment, data_fingerprint, make_model, prepare_experiment
from evoreplay.storage import DamagedStateError, numbered_states, read_manifest


@dataclass(frozen=True)
class LoadedRun:
    """A run with its result, as it can be used again."""

    path: Path
    config: Config
    """On the device that is here now."""
    result: Result
    experiment: Experiment
    model: nn.Module
    model_digest: str
    """The sha256 of the file it was read from."""


class RunDirectories(NamedTuple):
    """Those below a folder, or the folder itself if it is one."""

    finished: list[Path]
    unfinished: list[Path]


def run_directories(folder: Path) -> RunDirectories:
    """By whether they are finished; an error if none is."""
    require(folder.is_dir(), f"{folder} is not a folder; give a run directory, or one of runs")
    runs = list(find_runs(folder))
    require(len(runs) > 0, f"{folder} holds no runs; give a folder that `evoreplay run` made")
    # a damaged result is not passed over in silence: whoever reads it says what is wrong
    finished = [run.path for run in runs if run.status in ("finished", "damaged")]
    unfinished = [run.path for run in runs if run.path not in finished]
    require(
        len(finished) > 0,
        f"{runs[0].path} is not finished; give its run command again, then this one",
    )
    return RunDirectories(finished, unfinished)


def load_finished(path: Path, data: Path | None = None) -> LoadedRun:
    """The finished run in `path`; its data are looked for as `run` does."""
    result = read_result(path)
    if result is None:
        raise UserError(f"{path} is not finished; give its run command again, then this one")
    config = replace(read_config(path), device=resolved_device("auto"))
    experiment = prepare_experiment(config, data)
    _require_same_data(path, experiment)
    model = make_model(config, experiment.dataset)
    try:
        content = (path / "model.safetensors").read_bytes()
        model.load_state_dict(tensors_from_bytes(content))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise UserError(
            f"{path / 'model.safetensors'} is missing or not the model of this run; "
            "run it again with another --out"
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    return LoadedRun(path, config, result, experiment, model, digest)


def _require_same_data(path: Path, experiment: Experiment) -> None:
    """Refuse other data than those of the run, as far as its last checkpoint tells."""
    for folder in numbered_states(path / "checkpoints"):
        try:
            about = read_manifest(folder)["about"]
        except DamagedStateError:
            continue
        now = data_fingerprint(experiment)
        require(
            about.get("data", now) == now,
            f"the data of {path} are no longer those it was run with; put them back, or give the "
            "folder where they are as --data",
        )
        return

"""A finished run as it is read from its `result.json`, checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from evoreplay.errors import UserError, require
from evoreplay.reports.memory_results import MeasuredMemory, measured_memory
from evoreplay.reports.reading import number, read_json, share
from evoreplay.reports.robustness import Robustness
from evoreplay.running import Config
from evoreplay.running.config import LATER_FIELDS, as_dict

Matrix = list[list[float | None]]


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """One run: what it was and what came out."""

    name: str
    """Its folder, relative to the one that was searched."""
    path: Path
    config: Mapping[str, Any]
    """Every field of the config; one that an older run lacks has the value it had."""
    config_hash: str
    subset: str | None
    """What is missing of the dataset; None if nothing is."""
    final_accuracy: float
    forgetting: float | None
    matrix: Matrix
    """acc[i][j]: accuracy on segment i after segment j, None before it was seen."""
    anytime: Mapping[int, float]
    """Accuracy by batch of the stream."""
    balance: Mapping[int, list[int]]
    """Memory examples of each class, by batch; empty in older runs."""
    segment_ends: tuple[int, ...]
    """Batches of the stream up to the end of each segment; empty if not known."""
    memory: MeasuredMemory
    memory_moved: float | None
    seconds_per_step: float | None
    versions: Mapping[str, Any]
    robustness: Robustness | None = None

    @property
    def method(self) -> str:
        """Its name."""
        return str(self.config["method"])

    @property
    def seed(self) -> int:
        """Of everything that was random."""
        return int(self.config["seed"])


def finished_run(name: str, path: Path) -> FinishedRun:
    """The run in `path`; `UserError` says what is wrong with its result."""
    result = read_json(path / "result.json")
    try:
        return _from_result(name, path, result)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise UserError(f"result.json is not that of a run: {said}") from error


def _from_result(name: str, path: Path, result: dict[str, Any]) -> FinishedRun:
    config = as_dict(Config()) | LATER_FIELDS | dict(result["config"])
    for key, kinds in (("dataset", str), ("method", str), ("seed", int), ("scale", (int, float))):
        require(isinstance(config[key], kinds), f"{key} is {config[key]!r}")
        require(result.get(key, config[key]) == config[key], f"{key} is not that of its config")
    final = share(result["final_accuracy"])
    require(final is not None, "final_accuracy is missing")
    assert final is not None
    anytime = {int(m["batch"]): share(m["accuracy"]) for m in result.get("anytime_accuracy") or ()}
    subset = result.get("subset")
    return FinishedRun(
        name=name,
        path=path,
        config=config,
        config_hash=str(result["config_hash"]),
        subset=None if subset is None else str(subset),
        final_accuracy=final,
        forgetting=share(result.get("forgetting")),
        matrix=[[share(v) for v in row] for row in result.get("accuracy_matrix") or ()],
        anytime={batch: value for batch, value in anytime.items() if value is not None},
        balance={
            int(m["batch"]): [int(count) for count in m["counts"]]
            for m in result.get("memory_balance") or ()
        },
        segment_ends=_segment_ends(result.get("examples_per_segment") or (), config),
        memory=measured_memory(result),
        memory_moved=number(result.get("memory_moved")),
        seconds_per_step=number(result.get("seconds_per_step")),
        versions=dict(result.get("versions") or {}),
    )


def _segment_ends(examples: Sequence[int], config: Mapping[str, Any]) -> tuple[int, ...]:
    """Segments are whole batches; the last batch of all may be smaller."""
    size = int(config["batch_size"])
    return tuple(-(-total // size) for total in accumulate(int(count) for count in examples))

"""MLflow: a file store with one run in it; no server and no database.

A database would need two packages more (SQLAlchemy, Alembic). The newest MLflow asks to be told
that a file store is meant, and reports its use over the network unless it is told not to.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from evoreplay.loggers.logger import Settings
from evoreplay.loggers.surroundings import environment

EXPERIMENT = "evoreplay"


class MlflowLogger:
    """One run in one experiment; its settings are parameters, its numbers metrics."""

    def __init__(self, folder: Path, title: str, settings: Settings) -> None:
        # a process that had a store here before keeps it, and expects its bin for deleted runs
        (folder / ".trash").mkdir()
        with environment(MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_DISABLE_TELEMETRY="true"):
            from mlflow import MlflowClient
            from mlflow.entities import Metric, Param

            self._client = MlflowClient(tracking_uri=folder.absolute().as_uri())
        self._metric = Metric
        experiment = self._client.create_experiment(EXPERIMENT)
        self._run = self._client.create_run(experiment, run_name=title).info.run_id
        parameters = [Param(name, str(value)) for name, value in settings.items()]
        self._client.log_batch(self._run, params=parameters)

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        now = round(1000 * time.time())
        metrics = [self._metric(name, value, now, step) for name, value in numbers.items()]
        self._client.log_batch(self._run, metrics=metrics)

    def close(self, *, finished: bool) -> None:
        self._client.set_terminated(self._run, "FINISHED" if finished else "FAILED")

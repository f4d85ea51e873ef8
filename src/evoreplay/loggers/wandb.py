"""Weights & Biases, offline: nothing is sent until `wandb sync` is given by hand.

An offline run cannot be cut back to a checkpoint, and of two with the same id one may replace the
other when they are sent. So there is one, whole, and its id is kept beside the log, in case a part
of it was sent before.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from evoreplay.loggers.logger import Settings
from evoreplay.loggers.surroundings import environment
from evoreplay.storage import write_file

PROJECT = "evoreplay"


class WandbLogger:
    """A run of its own; one that the caller may have open in this process goes on."""

    def __init__(self, folder: Path, title: str, settings: Settings) -> None:
        folder = folder.absolute()
        # its helper process would write to the user's cache and report errors over the network
        with environment(WANDB_CACHE_DIR=str(folder / "cache"), WANDB_ERROR_REPORTING="false"):
            import wandb

            self._run = wandb.init(
                mode="offline",
                dir=str(folder),
                project=PROJECT,
                name=title,
                id=_identity(folder.with_name(f"{folder.name}-id")),
                config=dict(settings),
                reinit="create_new",
                settings=wandb.Settings(
                    silent=True,
                    console="off",
                    disable_code=True,
                    disable_git=True,
                    x_disable_meta=True,
                    x_disable_stats=True,
                ),
            )

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        self._run.log(dict(numbers), step=step)

    def close(self, *, finished: bool) -> None:
        self._run.finish(exit_code=0 if finished else 1)


def _identity(path: Path) -> str:
    """The id in this file, or a new one, which no other run can have."""
    if not path.exists():
        write_file(path, secrets.token_hex(8).encode())
    return path.read_text()

"""Checkpoints of a run: written often enough, never half, and read with open eyes."""

from __future__ import annotations

import os
import secrets
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import torch

from evoreplay.errors import UserError, require
from evoreplay.storage import (
    DamagedStateError,
    clear_leftovers,
    numbered_states,
    read_manifest,
    read_state,
    write_next_state,
)

KEPT = 2
LARGEST_SHARE = 0.02
"""Of a run's time that saving may take: the interval grows with what a save costs."""


class Schedule(NamedTuple):
    """When a checkpoint is due: after so many steps or seconds, whichever comes first."""

    steps: int | None = None
    seconds: float = 60.0


class Checkpoints:
    """The folder of a run's checkpoints."""

    def __init__(self, folder: Path, schedule: Schedule, environment: dict[str, Any]) -> None:
        self.folder, self._schedule, self._environment = folder, schedule, environment
        self._last_saved = time.monotonic()
        self._last_position = 0
        self._cost = 0.0

    def newest(self, *, strict: bool) -> Any | None:
        """The newest whole state, after clearing away what a crash left behind.

        Damaged ones are set aside under another name. A state that cannot be read for another
        reason, be it the disk or another format, is an error and stays.
        """
        clear_leftovers(self.folder)
        for folder in numbered_states(self.folder):
            try:
                state = read_state(folder)
            except DamagedStateError as error:
                _tell(f"{error}; the checkpoint before it is used, if there is one", strict=False)
                # as state-N it would count as one of those that are kept
                os.replace(folder, folder.with_name(f"damaged-{secrets.token_hex(4)}"))
                continue
            self._compare(read_manifest(folder)["about"], strict=strict)
            self._last_position = state["position"]
            return state
        return None

    def is_due(self, position: int) -> bool:
        """Whether it is time to save again."""
        steps, seconds = self._schedule
        if steps is not None and position - self._last_position >= steps:
            return True
        rest = max(seconds, self._cost / LARGEST_SHARE)
        return time.monotonic() - self._last_saved >= rest

    def write(self, state: dict[str, Any]) -> None:
        """Save; what was saved before stays until the new one is whole on disk."""
        began = time.monotonic()
        about = {"position": state["position"], **self._environment}
        try:
            write_next_state(self.folder, state, keep=KEPT, about=about)
        except OSError as error:
            raise UserError(
                f"cannot write a checkpoint to {self.folder}: {error.strerror or error}; the one "
                "before is kept: make room and give the same command again"
            ) from error
        self._last_saved, self._last_position = time.monotonic(), state["position"]
        self._cost = self._last_saved - began

    def _compare(self, about: dict[str, Any], *, strict: bool) -> None:
        for name, now in self._environment.items():
            then = about.get(name, now)
            if then != now:
                require(
                    name != "data",
                    f"the data of the run in {self.folder.parent} are no longer those it was begun "
                    "with; put them back, or begin anew with another --out",
                )
                _tell(
                    f"this run was begun with {name} {then} and goes on with {now}; its numbers "
                    "may differ from those of a run that was never interrupted",
                    strict=strict,
                )


def _tell(message: str, *, strict: bool) -> None:
    if strict:
        raise UserError(f"{message}; leave out --strict to go on all the same")
    warnings.warn(message, stacklevel=3)


def environment(device: str, config_hash: str, data: str) -> dict[str, Any]:
    """What the bytes of a run may depend on beside its config; `data` is their fingerprint."""
    return {
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "device": device,
        "config hash": config_hash,
        "data": data,
    }

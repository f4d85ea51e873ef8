"""Temporary folders that say whose they are, so that those of dead processes can be removed."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ABANDONED_SECONDS = 24 * 3600
"""After this time a folder of another machine is taken to be left over."""


@contextlib.contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """An empty folder in `parent`, gone afterwards unless it was renamed."""
    remove_abandoned(parent)
    owner = f"{platform.node()}-{os.getpid()}-{threading.get_ident()}"
    folder = parent / f".{owner}-{name}.tmp"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(parent: Path) -> None:
    """Remove temporary folders whose process is no longer there."""
    here = f".{platform.node()}-"
    for leftover in parent.glob(".*.tmp"):
        with contextlib.suppress(OSError, ValueError):
            if leftover.name.startswith(here):
                abandoned = not _is_alive(int(leftover.name.removeprefix(here).split("-")[0]))
            else:
                abandoned = time.time() - leftover.stat().st_mtime > ABANDONED_SECONDS
            if abandoned:
                shutil.rmtree(leftover)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

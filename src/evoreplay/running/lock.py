"""One process on a run directory, and no waiting for the dead.

The lock is a file that names its owner: host, process and start time. On one host the kernel holds
it (`flock`), so it is free the moment its owner dies. Across hosts, where a shared file system may
not pass such locks on, the owner touches the file every few seconds, and a lock that was not
touched for a minute is nobody's.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evoreplay.errors import UserError

HEARTBEAT_SECONDS = 10.0
STALE_SECONDS = 60.0


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Own `folder` inside; `UserError` with the owner's name if somebody else does."""
    path = folder / "lock"
    descriptor = _acquire(path)
    stopped = threading.Event()
    beating = threading.Thread(target=_beat, args=(descriptor, stopped), daemon=True)
    beating.start()
    try:
        yield
    finally:
        stopped.set()
        beating.join()
        # while it is still ours, so that nobody else's file is removed
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = _owner(descriptor)
            os.close(descriptor)
            raise _refusal(path, owner) from None
        if not _is_still(path, descriptor):
            # the last owner removed the file between our opening and locking it
            os.close(descriptor)
            continue
        owner = _owner(descriptor)
        age = time.time() - os.fstat(descriptor).st_mtime
        if owner and owner.get("host") != socket.gethostname() and age < STALE_SECONDS:
            os.close(descriptor)
            raise _refusal(path, owner)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(_self()).encode(), 0)
        return descriptor


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.fstat(descriptor).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _self() -> dict[str, Any]:
    return {
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def _owner(descriptor: int) -> dict[str, Any]:
    """Who stands in the file; nobody in an empty or damaged one."""
    try:
        content = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _refusal(path: Path, owner: dict[str, Any]) -> UserError:
    name = (
        f"process {owner.get('process')} on {owner.get('host')} (since {owner.get('since')})"
        if owner
        else "another process"
    )
    return UserError(f"{path.parent} is being run by {name}; wait for it, or stop it first")


def _beat(descriptor: int, stopped: threading.Event) -> None:
    while not stopped.wait(HEARTBEAT_SECONDS):
        with contextlib.suppress(OSError):
            os.utime(descriptor)

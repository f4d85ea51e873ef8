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
import secrets
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


class RunningElsewhereError(UserError):
    """Somebody else owns the folder."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Own `folder` inside; `UserError` with the owner's name if somebody else does."""
    path = folder / "lock"
    own = {
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "token": secrets.token_hex(8),
    }
    descriptor = _acquire(path, own)
    stopped = threading.Event()
    beating = threading.Thread(target=_beat, args=(descriptor, own, stopped), daemon=True)
    beating.start()
    try:
        yield
    finally:
        stopped.set()
        beating.join()
        # a host that was silent for long may have lost it to another
        if _owner(descriptor) == own and _is_still(path, descriptor):
            path.unlink(missing_ok=True)
        os.close(descriptor)


def is_locked(folder: Path) -> bool:
    """Whether somebody owns `folder` now; a look that disturbs nobody."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        # shared: two that only look do not take each other for an owner
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return _is_fresh(descriptor)
    else:
        elsewhere = _owner(descriptor).get("host", socket.gethostname()) != socket.gethostname()
        return elsewhere and _is_fresh(descriptor)
    finally:
        os.close(descriptor)


def _is_fresh(descriptor: int) -> bool:
    return time.time() - os.fstat(descriptor).st_mtime < STALE_SECONDS


def _acquire(path: Path, own: dict[str, Any]) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        by_kernel = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _owner(descriptor)
            os.close(descriptor)
            raise _refusal(path, owner) from None
        except OSError:
            # a file system without such locks: the heartbeat alone has to do
            by_kernel = False
        if not _is_still(path, descriptor):
            # the last owner removed the file between our opening and locking it
            os.close(descriptor)
            continue
        owner = _owner(descriptor)
        elsewhere = owner.get("host") != own["host"] or not by_kernel
        if owner and elsewhere and _is_fresh(descriptor):
            os.close(descriptor)
            raise _refusal(path, owner)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(own).encode(), 0)
        return descriptor


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.fstat(descriptor).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _owner(descriptor: int) -> dict[str, Any]:
    """Who stands in the file; nobody in an empty or damaged one."""
    try:
        content = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _refusal(path: Path, owner: dict[str, Any]) -> RunningElsewhereError:
    name = (
        f"process {owner.get('process')} on {owner.get('host')} (since {owner.get('since')})"
        if owner
        else "another process"
    )
    return RunningElsewhereError(
        f"{path.parent} is being run by {name}; wait for it, or stop it first"
    )


def _beat(descriptor: int, own: dict[str, Any], stopped: threading.Event) -> None:
    while not stopped.wait(HEARTBEAT_SECONDS):
        with contextlib.suppress(OSError):
            if _owner(descriptor) == own:
                os.utime(descriptor)

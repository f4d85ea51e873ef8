"""SHA-256 of files, remembered as long as a file's size and times stay the same."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from evoreplay.errors import UserError
from evoreplay.storage import write_file

LISTED = "SHA256SUMS"


def sha256_of(file: Path) -> str:
    """The checksum of the file as it is now."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror or error}") from error


def remembered_sha256(files: Iterable[Path], root: Path, cache: Path) -> list[str]:
    """Checksums of files below `root`; only new and changed ones are read.

    What is remembered lies in `cache`, one small file for each root. If it cannot be written, or
    has been damaged, the files are simply read again.
    """
    note = cache / "checksums" / f"{hashlib.sha256(str(root.resolve()).encode()).hexdigest()}.json"
    known = _read(note)
    now: dict[str, list[int | str]] = {}
    checksums = []
    for file in files:
        status = _status(file)
        stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        before = known.get(str(file.relative_to(root)), [])
        checksum = str(before[3]) if before[:3] == stamp else sha256_of(file)
        now[str(file.relative_to(root))] = [*stamp, checksum]
        checksums.append(checksum)
    if any(known.get(name) != stamped for name, stamped in now.items()):
        with contextlib.suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True)
            write_file(note, json.dumps({**known, **now}).encode())
    return checksums


def listed_checksums(folder: Path) -> dict[Path, str]:
    """What the files `SHA256SUMS` in this folder and in the two above it say, by path."""
    listed: dict[Path, str] = {}
    for place in (folder.parent.parent, folder.parent, folder):
        try:
            lines = (place / LISTED).read_text().splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            checksum, _, name = line.partition(" ")
            if name:
                listed[(place / name.strip().removeprefix("*")).resolve()] = checksum.lower()
    return listed


def _status(file: Path) -> os.stat_result:
    try:
        return file.stat()
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror or error}") from error


def _read(note: Path) -> dict[str, list[int | str]]:
    try:
        known = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {k: v for k, v in known.items() if isinstance(v, list) and len(v) == 4}

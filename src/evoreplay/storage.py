"""State on disk: safetensors and JSON, whole or not there at all.

A state is a nested structure of dicts, lists, tuples, tensors, numbers, strings, booleans and None.
It becomes a folder with three files: `tensors.safetensors`, `state.json`, and last `manifest.json`,
which holds the length and sha256 of the other two. The folder is written under a temporary name,
flushed to disk and renamed, so a half-written one never looks like a whole one. Nothing is ever
unpickled.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import warnings
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from evoreplay.errors import UserError

FORMAT = 1
TENSORS, VALUES, MANIFEST = "tensors.safetensors", "state.json", "manifest.json"


class DamagedStateError(ValueError):
    """A folder of state that is not what its manifest says."""


class UnreadableStateError(UserError):
    """A folder of state that may be whole, but cannot be read here and now."""


def write_file(path: Path, data: bytes) -> None:
    """Put `data` at `path`: after a crash there is the old file or the new one, never a part."""
    temporary = temporary_name(path)
    try:
        _write_and_flush(temporary, data)
        os.replace(temporary, path)
        flush(path.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def flush(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk itself."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def plain(tensor: Tensor) -> Tensor:
    """A copy on the CPU, laid out plainly: safetensors takes no shared memory and no strides."""
    return tensor.detach().cpu().clone(memory_format=torch.contiguous_format)


def write_json(path: Path, value: Any) -> None:
    """`write_file` of JSON that a person can read."""
    write_file(path, (json.dumps(value, indent=2, allow_nan=False) + "\n").encode())


def write_state(folder: Path, state: Any, about: dict[str, Any] | None = None) -> None:
    """Put `state` into the new `folder`; `about` goes into its manifest."""
    tensors: dict[str, Tensor] = {}
    values = _encode(state, "", tensors)
    files = {
        TENSORS: tensors_to_bytes(tensors),
        VALUES: json.dumps(values).encode(),
    }
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "about": about or {},
        "files": {
            name: {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        },
    }
    manifest["sha256"] = _sum(manifest)
    write_folder(folder, files | {MANIFEST: json.dumps(manifest, indent=2).encode()})


def write_folder(folder: Path, files: dict[str, bytes]) -> None:
    """Make the new `folder` with these files, in their order: all of them or no folder at all.

    A folder that is there already is taken if it is empty, and is an `OSError` if not.
    """
    temporary = temporary_name(folder)
    try:
        temporary.mkdir(parents=True)
        for name, data in files.items():
            _write_and_flush(temporary / name, data)
        flush(temporary)
        os.rename(temporary, folder)
        flush(folder.parent)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder of state."""
    data = _read(folder / MANIFEST)
    try:
        manifest: dict[str, Any] = json.loads(data)
        whole = manifest.pop("sha256") == _sum(manifest)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedStateError(f"{folder} has no readable manifest") from error
    if not whole:
        raise DamagedStateError(f"{folder / MANIFEST} is damaged")
    if manifest["format"] != FORMAT:
        raise UnreadableStateError(
            f"{folder} has format {manifest['format']}, this version of evoreplay reads {FORMAT}; "
            "continue with the version that wrote it, or begin anew in another folder"
        )
    return manifest


def read_state(folder: Path) -> Any:
    """The state in `folder`, after checking every byte of it against the manifest."""
    contents = {}
    for name, expected in read_manifest(folder)["files"].items():
        data = _read(folder / name)
        digest = hashlib.sha256(data).hexdigest()
        if len(data) != expected["length"] or digest != expected["sha256"]:
            raise DamagedStateError(f"{folder / name} is damaged")
        contents[name] = data
    return _decode(json.loads(contents[VALUES]), tensors_from_bytes(contents[TENSORS]))


def numbered_states(parent: Path) -> list[Path]:
    """Folders `state-N` in `parent`, newest first, whole or not."""
    if not parent.is_dir():
        return []
    found = [p for p in parent.iterdir() if re.fullmatch(r"state-\d{8}", p.name) and p.is_dir()]
    return sorted(found, key=lambda p: p.name, reverse=True)


def write_next_state(
    parent: Path, state: Any, *, keep: int = 2, about: dict[str, Any] | None = None
) -> Path:
    """Write the next `state-N` into `parent`, then remove all but the newest `keep`.

    One process writes into a folder at a time; what a dead one left half-written is removed.
    """
    clear_leftovers(parent)
    newest = next(iter(numbered_states(parent)), None)
    number = 1 if newest is None else int(newest.name.removeprefix("state-")) + 1
    folder = parent / f"state-{number:08d}"
    write_state(folder, state, about)
    for old in numbered_states(parent)[keep:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def newest_state(parent: Path) -> tuple[Path, Any] | None:
    """The newest whole `state-N` in `parent` and what it holds; a damaged one is passed over."""
    for folder in numbered_states(parent):
        try:
            return folder, read_state(folder)
        except DamagedStateError as error:
            warnings.warn(f"{error}; the state before it is used, if there is one", stacklevel=3)
    return None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DamagedStateError(f"{path} is missing") from error
    except OSError as error:
        raise UnreadableStateError(
            f"{path} cannot be read: {error.strerror or error}; nothing was changed, try again"
        ) from error


def temporary_name(path: Path) -> Path:
    """A name beside `path` for what is not whole; `clear_leftovers` knows it."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


def clear_leftovers(folder: Path) -> None:
    """Remove what a crash left half-written under temporary names; for the folder's owner only."""
    for path in folder.glob(".*.tmp"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _sum(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _encode(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """JSON in which a tensor is a reference, and what JSON lacks is marked."""
    if isinstance(value, Tensor):
        # numbered, because paths of different keys may read the same
        name = f"{len(tensors)}{path}"
        tensors[name] = plain(value)
        return {"$tensor": name}
    if isinstance(value, dict):
        return {
            "$dict": [[key, _encode(item, f"{path}/{key}", tensors)] for key, item in value.items()]
        }
    if isinstance(value, list | tuple):
        mark = "$list" if isinstance(value, list) else "$tuple"
        return {mark: [_encode(v, f"{path}/{n}", tensors) for n, v in enumerate(value)]}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{path or 'the state'} is a {type(value).__name__}, which cannot be stored")


def _decode(value: Any, tensors: dict[str, Tensor]) -> Any:
    if not isinstance(value, dict):
        return value
    ((mark, content),) = value.items()
    if mark == "$tensor":
        return tensors[content]
    if mark == "$dict":
        return {key: _decode(item, tensors) for key, item in content}
    items = [_decode(item, tensors) for item in content]
    return items if mark == "$list" else tuple(items)


def _write_and_flush(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())

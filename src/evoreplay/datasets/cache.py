"""Decoded data, kept in the user's cache and mapped into memory.

An entry is a folder named by the content of the source files, so it serves every copy of them and
never a changed one. It is written under a temporary name and renamed when it is whole; its manifest
holds the length of every array file.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from evoreplay.datasets.checksums import remembered_sha256
from evoreplay.datasets.layout import Array, Layout, Parts, count_classes
from evoreplay.datasets.leftovers import temporary_folder
from evoreplay.storage import write_json

FORMAT = 1
MANIFEST = "manifest.json"
ARRAYS = ("train_x", "train_y", "test_x", "test_y")


def decoded(layout: Layout, cache: Path) -> Parts:
    """What the layout holds: mapped from the cache, after decoding it once."""
    entry = cache / "decoded" / _key(layout, cache)
    parts = _mapped(entry)
    if parts is not None:
        return parts
    parts = layout.read()
    count_classes(parts, str(layout.root))
    try:
        _write(entry, parts)
    except OSError as error:
        warnings.warn(
            f"decoded data cannot be kept in {cache} ({error.strerror or error}), so they are "
            "decoded again each time; set EVOREPLAY_CACHE to a folder that can be written",
            stacklevel=3,
        )
        return parts
    return _mapped(entry) or parts


def _key(layout: Layout, cache: Path) -> str:
    files = layout.files()
    base = layout.root if layout.root.is_dir() else layout.root.parent
    names = [file.relative_to(base).as_posix() for file in files]
    content = [FORMAT, layout.kind, names, remembered_sha256(files, base, cache)]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _mapped(entry: Path) -> Parts | None:
    """The arrays of a whole entry; private pages, so that nothing can change the files."""
    try:
        manifest: dict[str, Any] = json.loads((entry / MANIFEST).read_bytes())
        lengths: dict[str, int] = manifest["lengths"]
        if any((entry / f"{a}.npy").stat().st_size != n for a, n in lengths.items()):
            return None
        arrays: dict[str, Array] = {
            name: np.load(
                entry / f"{name}.npy",
                mmap_mode="c" if name.endswith("_x") else None,
                allow_pickle=False,
            )
            for name in lengths
        }
        names = tuple(manifest["names"]) if manifest["names"] else None
        train_x, train_y, test_x, test_y = (arrays.get(name) for name in ARRAYS)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if train_x is None or train_y is None:
        return None
    return Parts(train_x, train_y, test_x, test_y, names)


def _write(entry: Path, parts: Parts) -> None:
    entry.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(entry.parent, entry.name) as temporary:
        lengths = {}
        for name, array in zip(ARRAYS, parts[:4], strict=True):
            if array is not None:
                lengths[name] = _write_array(temporary / f"{name}.npy", array)
        write_json(temporary / MANIFEST, {"lengths": lengths, "names": parts.names})
        if entry.exists() and _mapped(entry) is None:
            shutil.rmtree(entry)
        try:
            os.rename(temporary, entry)
        except OSError:
            # another process was faster: a folder that exists is reported as not empty
            if _mapped(entry) is None:
                raise


def _write_array(file: Path, array: Array) -> int:
    with file.open("wb") as stream:
        np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    return file.stat().st_size

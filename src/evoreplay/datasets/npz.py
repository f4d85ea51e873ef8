"""Arrays that NumPy has saved: `x_train`, `y_train` (and `x_test`, `y_test`), or `x` and `y`."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from evoreplay.datasets.layout import Array, Counts, Parts, as_labels
from evoreplay.errors import UserError, require

CHANNELS = (1, 3)
_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    MemoryError,  # a shape that no machine holds
    RuntimeError,  # encrypted, or compressed in an unknown way
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True)
class NpzLayout:
    """One .npz file; arrays of Python objects are refused, because they would run code."""

    root: Path
    kind: str = "npz"

    def files(self) -> list[Path]:
        return [self.root]

    def counts(self) -> Counts:
        lengths = _lengths(self.root)
        train, test = _keys(set(lengths), self.root)
        return Counts(lengths[train[1]], lengths[test[1]] if test else None)

    def read(self) -> Parts:
        train, test = _keys(set(_lengths(self.root)), self.root)
        try:
            with self.root.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
                loaded = {key: arrays[key] for key in (*train, *(test or ()))}
        except _UNREADABLE as error:
            raise _damaged(self.root, error) from error
        return Parts(
            *_pair(loaded, train, self.root),
            *(_pair(loaded, test, self.root) if test else (None, None)),
        )


def find_npz(path: Path) -> NpzLayout | None:
    """The one file."""
    return NpzLayout(path) if path.is_file() and path.suffix == ".npz" else None


def _keys(there: set[str], file: Path) -> tuple[tuple[str, str], tuple[str, str] | None]:
    if {"x_train", "y_train"} <= there:
        return ("x_train", "y_train"), (
            ("x_test", "y_test") if {"x_test", "y_test"} <= there else None
        )
    if {"x", "y"} <= there:
        return ("x", "y"), None
    raise UserError(
        f"{file} holds the arrays {', '.join(sorted(there))}; give x_train and y_train "
        "(and x_test and y_test), or x and y"
    )


def _pair(arrays: dict[str, Array], keys: tuple[str, str], file: Path) -> tuple[Array, Array]:
    x, y = keys
    return _examples(arrays[x], f"{x} of {file}"), as_labels(arrays[y], f"{file} ({y})")


def _examples(values: Array, where: str) -> Array:
    """Images channels first, or vectors; bytes stay bytes, other numbers become float32."""
    if values.dtype.kind == "f":
        require(bool(np.isfinite(values).all()), f"{where} holds numbers that are not finite")
        values = values.astype(np.float32)
    elif values.dtype.kind in "iu" and values.size:
        require(
            bool(values.min() >= 0 and values.max() <= 255),
            f"{where} holds integers outside 0 .. 255; give uint8 or floats",
        )
        values = values.astype(np.uint8)
    elif values.size:
        raise UserError(f"{where} is of type {values.dtype}; give uint8 or floats")
    if values.ndim == 3:
        return values[:, np.newaxis]
    if values.ndim == 2 or (values.ndim == 4 and values.shape[1] in CHANNELS):
        return values
    if values.ndim == 4 and values.shape[3] in CHANNELS:
        return np.ascontiguousarray(values.transpose(0, 3, 1, 2))
    raise UserError(
        f"{where} has shape {values.shape}; give (number, channels, height, width) or "
        "(number, height, width, channels) with 1 or 3 channels, or (number, features)"
    )


def _lengths(file: Path) -> dict[str, int]:
    """First dimension of every array, from its header alone."""
    lengths = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                with archive.open(name) as stream:
                    first = npy.read_magic(stream) == (1, 0)
                    read = npy.read_array_header_1_0 if first else npy.read_array_header_2_0
                    shape = read(stream)[0]
                lengths[name.removesuffix(".npy")] = shape[0] if shape else 0
    except _UNREADABLE as error:
        raise _damaged(file, error) from error
    return lengths


def _damaged(file: Path, error: Exception) -> UserError:
    return UserError(f"{file} is not a whole .npz file of plain arrays ({error}); save it again")

"""The idx files of MNIST and its relatives, plain or compressed by gzip."""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from evoreplay.datasets.layout import Array, Counts, Parts, as_labels
from evoreplay.errors import UserError

UINT8 = 0x08
SUBFOLDERS = ("", "raw", "MNIST/raw", "FashionMNIST/raw")
IMAGES, LABELS = "images{}idx3-ubyte", "labels{}idx1-ubyte"


@dataclass(frozen=True)
class IdxLayout:
    """Files of images and of labels; the test part is called t10k."""

    root: Path
    train: tuple[Path, Path]
    test: tuple[Path, Path] | None
    kind: str = "idx"

    def files(self) -> list[Path]:
        return [*self.train, *(self.test or ())]

    def counts(self) -> Counts:
        return Counts(_header(self.train[0])[0], _header(self.test[0])[0] if self.test else None)

    def read(self) -> Parts:
        test_x, test_y = _read_pair(*self.test) if self.test else (None, None)
        return Parts(*_read_pair(*self.train), test_x, test_y)


def find_idx(path: Path) -> IdxLayout | None:
    """In a folder, or in its folder `raw`."""
    for folder in (path / below for below in SUBFOLDERS):
        train = _pair(folder, "train")
        if train:
            return IdxLayout(folder, train, _pair(folder, "t10k") or _pair(folder, "test"))
    return None


def _pair(folder: Path, part: str) -> tuple[Path, Path] | None:
    images = _first(folder, f"{part}-{IMAGES}")
    labels = _first(folder, f"{part}-{LABELS}")
    return (images, labels) if images and labels else None


def _first(folder: Path, pattern: str) -> Path | None:
    names = [pattern.format(mark) + end for mark in "-." for end in ("", ".gz")]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _read_pair(images: Path, labels: Path) -> tuple[Array, Array]:
    pixels, classes = read_idx(images), read_idx(labels)
    if pixels.ndim != 3:
        raise UserError(f"{images} has {pixels.ndim} dimensions; images have 3")
    return pixels[:, np.newaxis], as_labels(classes, str(labels))


def read_idx(file: Path) -> Array:
    """The array of bytes in an idx file."""
    shape = _header(file)
    try:
        with _open(file) as stream:
            stream.read(4 + 4 * len(shape))
            # one byte more than belongs there shows a file that is too long, whatever it unpacks to
            data = stream.read(math.prod(shape) + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(file, str(error)) from error
    if len(data) != math.prod(shape):
        raise _damaged(file, f"{len(data)} bytes of data where {math.prod(shape)} belong")
    # a copy, because torch wants memory that may be written to
    return np.frombuffer(data, np.uint8).reshape(shape).copy()


def _header(file: Path) -> tuple[int, ...]:
    try:
        with _open(file) as stream:
            zeros, kind, dimensions = struct.unpack(">HBB", stream.read(4))
            shape = struct.unpack(f">{dimensions}I", stream.read(4 * dimensions))
    except (OSError, EOFError, zlib.error, struct.error) as error:
        raise _damaged(file, str(error)) from error
    if zeros != 0 or kind != UINT8 or not dimensions:
        raise _damaged(file, "it does not begin like an idx file of bytes")
    return shape


def _open(file: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(file)) if file.suffix == ".gz" else file.open("rb")


def _damaged(file: Path, reason: str) -> UserError:
    return UserError(f"{file} is not a whole idx file ({reason}); copy or download it again")

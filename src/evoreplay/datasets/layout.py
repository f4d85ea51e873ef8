"""What every format has in common: files that were found, and the arrays they become."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evoreplay.errors import UserError, require

Array = NDArray[Any]
_PART = re.compile(r"(train|validation|valid|val|test)([-_.].*)?")


class Counts(NamedTuple):
    """How many examples there are; `test` is None if there is no test part."""

    train: int
    test: int | None


class Parts(NamedTuple):
    """Decoded examples (images: uint8, channels first) and their int64 labels."""

    train_x: Array
    train_y: Array
    test_x: Array | None
    test_y: Array | None
    names: tuple[str, ...] | None = None
    """Names of the classes, where the format has them."""


class Layout(Protocol):
    """Data on disk in one format, found but not yet read."""

    @property
    def kind(self) -> str:
        """The name of the format."""

    @property
    def root(self) -> Path:
        """The folder, or the one file, that holds the data."""

    def files(self) -> list[Path]:
        """All files whose content decides what `read` returns."""

    def counts(self) -> Counts:
        """The number of examples, without decoding any."""

    def read(self) -> Parts:
        """Decode everything; `UserError` if something is wrong with it."""


class Splits(NamedTuple):
    """Files, or folders, of each part."""

    train: list[Path]
    test: list[Path]


def training_and_test(train: list[Path], validation: list[Path], test: list[Path]) -> Splits:
    """Two parts of three: validation is tested on if nothing else is, else it joins training.

    The protocol holds out validation images of its own.
    """
    return Splits(train + validation, test) if test else Splits(train, validation)


def files_by_part(files: Iterable[Path]) -> Splits | None:
    """Files that are called after a part: train.csv, val.csv, test-0001.parquet and so on.

    None without a training part.
    """
    by_part: dict[str, list[Path]] = {"train": [], "val": [], "test": []}
    for file in sorted(files):
        match = _PART.fullmatch(file.stem)
        if match and file.is_file():
            by_part[match[1] if match[1] in by_part else "val"].append(file)
    if not by_part["train"]:
        return None
    return training_and_test(by_part["train"], by_part["val"], by_part["test"])


def as_labels(values: Array, where: str) -> Array:
    """Labels as int64, or an error if they are anything but integers from 0 up."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or values.dtype.kind not in "iu":
        shape = "x".join(map(str, values.shape))
        raise UserError(
            f"labels of {where} are {values.dtype} of shape {shape}; "
            "labels are one integer per example, 0 .. classes - 1"
        )
    labels = values.astype(np.int64)
    negative = np.flatnonzero(labels < 0)
    if len(negative):
        raise UserError(
            f"label {labels[negative[0]]} of example {negative[0]} of {where} is below 0; "
            "labels are integers 0 .. classes - 1: remove or map it"
        )
    return labels


def count_classes(parts: Parts, where: str) -> int:
    """The number of classes, after checking that every one of them has images in every part."""
    _same_length(parts.train_x, parts.train_y, f"the training part of {where}")
    if parts.test_x is not None and parts.test_y is not None:
        _same_length(parts.test_x, parts.test_y, f"the test part of {where}")
        require(
            parts.train_x.shape[1:] == parts.test_x.shape[1:],
            f"training examples of {where} have shape {parts.train_x.shape[1:]}, test examples "
            f"{parts.test_x.shape[1:]}; bring them to one shape",
        )
    highest = int(max(part.max() for part in (parts.train_y, parts.test_y) if part is not None))
    # a stray label of 10 ** 12 must not become an array of that length
    require(
        highest < 2 * len(parts.train_y) + 1000,
        f"{where} has label {highest} but only {len(parts.train_y)} training images; "
        "labels are integers 0 .. classes - 1: map them",
    )
    for labels, part in ((parts.train_y, "training"), (parts.test_y, "test")):
        if labels is not None:
            _none_empty(np.bincount(labels, minlength=highest + 1), parts.names, part, where)
    require(
        highest >= 1,
        f"{where} has one class only; a stream needs two or more: add a folder or label per class",
    )
    return highest + 1


def _same_length(x: Array, y: Array, where: str) -> None:
    require(len(x) > 0, f"{where} is empty; give at least one example of each class")
    require(
        len(x) == len(y),
        f"{where} has {len(x)} examples but {len(y)} labels; give one label per example",
    )


def _none_empty(
    per_class: NDArray[np.int64], names: tuple[str, ...] | None, part: str, where: str
) -> None:
    for label in np.flatnonzero(per_class == 0)[:1]:
        name = f"class {label}" + (f" ({names[label]})" if names else "")
        advice = (
            "add some, or take the test part away: then 20 % of each class is held out"
            if part == "test"
            else f"add some, or map the labels so that all of 0 .. {len(per_class) - 1} occur"
        )
        raise UserError(f"{name} of {where} has no {part} images; {advice}")

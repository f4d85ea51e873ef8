"""What `evoreplay data list` and `evoreplay data check` show."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from evoreplay.datasets.catalogue import EMBEDDED, EMBEDDED_TERMS, KNOWN, what_is_missing
from evoreplay.datasets.checksums import listed_checksums, sha256_of
from evoreplay.datasets.places import data_folders, find, find_layout
from evoreplay.datasets.registry import load_dataset
from evoreplay.datasets.sources import OFFICIAL_CHECKSUMS, SOURCES
from evoreplay.errors import UserError


class ListedDataset(NamedTuple):
    """One dataset that can be asked for by name."""

    name: str
    where: str | None
    """The folder it was found in, None if it was not."""
    size: int
    """Bytes on disk."""
    subset: str | None
    """What there is of it, if that is not all."""
    terms: str
    fetchable: bool
    """`evoreplay data fetch` can get it."""
    problem: str | None = None
    """Why what was found cannot be used."""


class CheckedFile(NamedTuple):
    """One file of a dataset and its checksum."""

    path: Path
    size: int
    sha256: str
    matches: bool | None
    """Whether that is the checksum in SHA256SUMS or the published one; None: none is known."""


class CheckedDataset(NamedTuple):
    """A dataset that was read from beginning to end."""

    name: str
    where: str
    shape: tuple[int, ...]
    """Of one example."""
    train_per_class: list[int]
    test_per_class: list[int] | None
    subset: str | None
    files: list[CheckedFile]


def known_datasets(data: Path | None = None) -> list[ListedDataset]:
    """Every dataset with a name, and where it lies; nothing is decoded."""
    embedded = ListedDataset(EMBEDDED, "inside scikit-learn", 0, None, EMBEDDED_TERMS, False)
    return [embedded, *(_listed(name, data) for name in KNOWN)]


def check_dataset(
    name: str, *, data: Path | None = None, cache: Path | None = None
) -> CheckedDataset:
    """Counts per class, shape and checksums; every byte of the source files is read."""
    dataset = load_dataset(name, data=data, cache=cache)
    where, files = "inside scikit-learn", []
    if name != EMBEDDED:
        layout = find(name, data=data, cache=cache).layout
        where = str(layout.root)
        expected = listed_checksums(layout.root)
        files = [_checked(file, name, expected) for file in layout.files()]
    return CheckedDataset(
        name=name,
        where=where,
        shape=tuple(dataset.train_x.shape[1:]),
        train_per_class=_per_class(dataset.train_y, dataset.classes),
        test_per_class=(
            None if dataset.test_y is None else _per_class(dataset.test_y, dataset.classes)
        ),
        subset=dataset.subset,
        files=files,
    )


def _listed(name: str, data: Path | None) -> ListedDataset:
    known, fetchable = KNOWN[name], name in SOURCES
    for place in data_folders(data):
        try:
            layout = find_layout(place / known.folder)
            if layout is None:
                continue
            subset = what_is_missing(known, layout.counts())
            size = sum(file.stat().st_size for file in layout.files())
        except (UserError, OSError) as error:
            where = str(place / known.folder)
            return ListedDataset(name, where, 0, None, known.terms, fetchable, str(error))
        return ListedDataset(name, str(layout.root), size, subset, known.terms, fetchable)
    return ListedDataset(name, None, 0, None, known.terms, fetchable)


def _checked(file: Path, name: str, listed: dict[Path, str]) -> CheckedFile:
    checksum = sha256_of(file)
    published = OFFICIAL_CHECKSUMS.get(name, {}).get(file.name)
    expected = listed.get(file.resolve(), published)
    matches = None if expected is None else expected == checksum
    return CheckedFile(file, file.stat().st_size, checksum, matches)


def _per_class(labels: Tensor, classes: int) -> list[int]:
    counts: list[int] = torch.bincount(labels, minlength=classes).tolist()
    return counts

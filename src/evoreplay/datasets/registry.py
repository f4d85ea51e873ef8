"""Datasets by name."""

from __future__ import annotations

from pathlib import Path

import torch

from evoreplay.datasets.cache import decoded
from evoreplay.datasets.catalogue import EMBEDDED, what_is_missing
from evoreplay.datasets.dataset import Dataset
from evoreplay.datasets.digits import digits
from evoreplay.datasets.layout import Array, Counts, count_classes
from evoreplay.datasets.places import find, user_cache
from evoreplay.datasets.text import TextLayout
from evoreplay.datasets.text_tokens import TOKEN_IDS
from evoreplay.errors import UserError


def load_dataset(name: str, *, data: Path | None = None, cache: Path | None = None) -> Dataset:
    """The dataset of this name, mapped from the cache after its files were decoded once.

    Parameters
    ----------
    name
        `digits`, `cifar10`, `cifar100`, `mini-imagenet`, `mnist`, `fashion-mnist`, `clinc150`, or
        one's own data as `folder:PATH`, `parquet:PATH`, `npz:PATH` or `text:PATH`.
    data
        A folder looked at before `$EVOREPLAY_DATA`, `./data` and the user's cache.
    cache
        Where decoded data are kept instead of the user's cache; never beside the data.

    """
    if name == EMBEDDED:
        return digits()
    try:
        layout, known = find(name, data=data, cache=cache)
        parts = decoded(layout, (cache or user_cache()).expanduser())
    except OSError as error:
        raise UserError(f"{name} cannot be read: {error}; look at who may read it") from error
    classes = count_classes(parts, str(layout.root))
    subset = None
    if known is not None:
        if classes != known.classes:
            raise UserError(
                f"{layout.root} has {classes} classes, {name} has {known.classes}; put all of it "
                "there, or load other data as folder:PATH, parquet:PATH, npz:PATH or text:PATH"
            )
        counts = Counts(len(parts.train_y), None if parts.test_y is None else len(parts.test_y))
        subset = what_is_missing(known, counts)
    return Dataset(
        name=name,
        train_x=torch.from_numpy(parts.train_x),
        train_y=torch.from_numpy(parts.train_y),
        test_x=_tensor(parts.test_x),
        test_y=_tensor(parts.test_y),
        classes=classes,
        natural=known is not None and known.natural,
        groups=layout.groups(classes) if isinstance(layout, TextLayout) else None,
        token_ids=TOKEN_IDS if isinstance(layout, TextLayout) else None,
        class_names=parts.names,
        subset=subset,
    )


def _tensor(array: Array | None) -> torch.Tensor | None:
    return None if array is None else torch.from_numpy(array)

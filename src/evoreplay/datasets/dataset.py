"""Examples and labels, in memory or mapped from disk."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Dataset:
    """A labelled dataset with, or without, a test part of its own."""

    name: str
    train_x: Tensor
    """Examples as stored (images: uint8, channels first; texts: rows of token numbers)."""
    train_y: Tensor
    """Integer labels."""
    test_x: Tensor | None
    """None if the data come without a test part; then some of the training part is held out."""
    test_y: Tensor | None
    classes: int
    """How many classes there are; labels are 0 .. classes - 1."""
    natural: bool
    """Natural images, which may be flipped; digits and letters may not."""
    groups: tuple[tuple[int, ...], ...] | None = None
    """Segments as explicit groups of classes; None: equal groups in label order."""
    token_ids: int | None = None
    """How many numbers of tokens there are, if the examples are texts; 0 is padding."""
    class_names: tuple[str, ...] | None = None
    """What the labels stand for, where the data say it."""
    subset: str | None = None
    """What is missing, if this is a part of the dataset its name promises."""

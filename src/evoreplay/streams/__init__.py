"""Streams of labelled batches; segment ids are for evaluation only."""

from evoreplay.streams.blurry import blurry
from evoreplay.streams.class_groups import class_groups, hold_out, indices_by_group
from evoreplay.streams.class_split import class_split
from evoreplay.streams.drift import drift
from evoreplay.streams.from_iterable import IterableStream, from_iterable
from evoreplay.streams.iid import iid
from evoreplay.streams.imbalanced import imbalanced
from evoreplay.streams.stream import ArrayStream

__all__ = [
    "ArrayStream",
    "IterableStream",
    "blurry",
    "class_groups",
    "class_split",
    "drift",
    "from_iterable",
    "hold_out",
    "iid",
    "imbalanced",
    "indices_by_group",
]

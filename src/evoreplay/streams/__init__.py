"""Streams of labelled batches; segment ids are for evaluation only."""

from evoreplay.streams.class_groups import class_groups, hold_out, indices_by_group
from evoreplay.streams.class_split import class_split
from evoreplay.streams.from_iterable import IterableStream, from_iterable
from evoreplay.streams.iid import iid
from evoreplay.streams.stream import ArrayStream

__all__ = [
    "ArrayStream",
    "IterableStream",
    "class_groups",
    "class_split",
    "from_iterable",
    "hold_out",
    "iid",
    "indices_by_group",
]

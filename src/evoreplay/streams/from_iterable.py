"""A stream from anything that yields (x, y): a list, a generator, a DataLoader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from evoreplay.errors import UserError


class IterableStream:
    """Batches as they come; the length may be unknown, the source may never end.

    `position` counts the batches taken. Save it with the learner, and `batches(position)` goes on
    after them: a source with a method `seek(position)` is told where to begin, any other is read
    up to there.
    """

    def __init__(self, source: Iterable[Any]) -> None:
        self.source = source
        self.position = 0
        """How many batches were taken; what a resumed run skips."""

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return self.batches()

    def batches(self, start: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """The batches from number `start` on."""
        self.position = start
        seek = getattr(self.source, "seek", None)
        if seek is not None:
            seek(start)
        for item in islice(self.source, None if seek is not None else start, None):
            self.position += 1
            yield as_batch(item, self.position - 1)


def from_iterable(source: Iterable[Any]) -> IterableStream:
    """A stream over `source`, whose items are pairs of examples and labels."""
    return IterableStream(source)


def as_batch(item: Any, number: int) -> tuple[Tensor, Tensor]:
    """One pair of tensors, or a message that says what came instead."""
    try:
        x, y = item
        return torch.as_tensor(x), torch.as_tensor(y)
    except (TypeError, ValueError) as error:
        raise UserError(
            f"item {number} of the stream is a {type(item).__name__}, not a pair of examples and "
            "labels; yield (x, y)"
        ) from error

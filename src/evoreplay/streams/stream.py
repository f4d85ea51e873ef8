"""A stream: batches in an order fixed beforehand, from any position on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from evoreplay.errors import require


@dataclass(frozen=True)
class ArrayStream:
    """Batches of `x`, `y` in a given order of indices.

    Beyond the data it holds one index array. Where segments end is for evaluation only: iteration
    yields (x, y) and nothing else.
    """

    x: Tensor
    """All examples, as stored."""
    y: Tensor
    """Their labels."""
    order: Tensor
    """Indices of the examples in the order of the stream."""
    batch_size: int
    """Examples in a batch; the last one may be smaller."""
    segment_ends: tuple[int, ...]
    """Number of batches up to the end of each segment; the last is the length of the stream."""

    def __len__(self) -> int:
        return -(-len(self.order) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return self.batches()

    def batches(self, start: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """The stream from batch `start` on: what a resumed run has not seen."""
        for number in range(start, len(self)):
            chosen = self.order[number * self.batch_size : (number + 1) * self.batch_size]
            yield self.x[chosen], self.y[chosen]


def equal_ends(batches: int, parts: int) -> tuple[int, ...]:
    """Where each of so many equal parts of a stream ends, in batches."""
    require(
        batches >= parts,
        f"{batches} batches are too few for {parts} measured parts; give a smaller batch_size or "
        "a larger scale",
    )
    return tuple(round(batches * (n + 1) / parts) for n in range(parts))

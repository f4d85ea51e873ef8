"""Class-split: one group of classes after the other."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.streams.stream import ArrayStream


def class_split(
    x: Tensor,
    y: Tensor,
    pools: Sequence[Tensor],
    *,
    batch_size: int,
    generator: torch.Generator,
    scale: float = 1.0,
) -> ArrayStream:
    """The examples of each pool in random order, pool after pool, in whole batches.

    The last short batch of each segment is dropped; `scale` takes that share of each segment's
    batches, at least one.
    """
    require(0 < scale <= 1, f"scale is {scale!r}; give a number above 0 and at most 1")
    segments: list[Tensor] = []
    ends: list[int] = []
    for number, pool in enumerate(pools):
        require(
            len(pool) >= batch_size,
            f"segment {number} has {len(pool)} training examples, less than one batch of "
            f"{batch_size}; give a smaller batch_size or more data",
        )
        batches = max(1, round(scale * (len(pool) // batch_size)))
        shuffled = pool[torch.randperm(len(pool), generator=generator)]
        segments.append(shuffled[: batches * batch_size])
        ends.append(batches + (ends[-1] if ends else 0))
    return ArrayStream(x, y, torch.cat(segments), batch_size, tuple(ends))

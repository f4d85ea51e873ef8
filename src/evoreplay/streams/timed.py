"""Streams without boundaries: every example gets a time, and time is the order.

If the examples of pool i have times of density d_i(t) on [0, 1], then around time t the stream
shows pool i with share n_i d_i(t) / sum_j n_j d_j(t), and every example comes exactly once. Blurry
and drifting streams are choices of d_i.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.streams.stream import ArrayStream, equal_ends


def ordered_by_time(
    x: Tensor,
    y: Tensor,
    pools: Sequence[Tensor],
    times: Sequence[Tensor],
    *,
    batch_size: int,
    segments: int,
) -> ArrayStream:
    """All examples of all pools by their times, in whole batches, measured at equal parts."""
    everything, when = torch.cat(list(pools)), torch.cat(list(times))
    batches = len(everything) // batch_size
    ends = equal_ends(batches, segments)
    order = everything[when.argsort(stable=True)][: batches * batch_size]
    return ArrayStream(x, y, order, batch_size, ends)


def thinned(pools: Sequence[Tensor], scale: float, generator: torch.Generator) -> list[Tensor]:
    """A random `scale` of each pool, in random order."""
    require(0 < scale <= 1, f"scale is {scale!r}; give a number above 0 and at most 1")
    return [
        pool[torch.randperm(len(pool), generator=generator)[: max(1, round(scale * len(pool)))]]
        for pool in pools
    ]


def spread_evenly(count: int, generator: torch.Generator) -> Tensor:
    """`count` numbers in [0, 1), one in each of `count` equal cells, in random order."""
    cells = torch.randperm(count, generator=generator, dtype=torch.float64)
    return (cells + torch.rand(count, generator=generator, dtype=torch.float64)) / count

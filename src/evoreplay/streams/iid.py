"""IID: all classes mixed, for one or several epochs; the upper bound of a stream learner."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.streams.stream import ArrayStream, equal_ends
from evoreplay.streams.timed import thinned


def iid(
    x: Tensor,
    y: Tensor,
    pools: Sequence[Tensor],
    *,
    batch_size: int,
    generator: torch.Generator,
    scale: float = 1.0,
    epochs: int = 1,
) -> ArrayStream:
    """`scale` of each pool, mixed, shuffled anew for each epoch, in whole batches.

    Segments are equal parts of the stream, as many as there are pools.
    """
    require(epochs >= 1, f"epochs is {epochs!r}; give 1 or more")
    chosen = torch.cat(thinned(pools, scale, generator))
    batches = len(chosen) // batch_size
    require(
        batches >= 1,
        f"{len(chosen)} examples are less than one batch of {batch_size}; "
        "give a smaller batch_size or a larger scale",
    )
    passes = [
        chosen[torch.randperm(len(chosen), generator=generator)[: batches * batch_size]]
        for _ in range(epochs)
    ]
    ends = equal_ends(batches * epochs, len(pools))
    return ArrayStream(x, y, torch.cat(passes), batch_size, ends)

r"""Imbalanced: a class-split stream in which classes have long-tailed sizes.

The k-th class of C (k from 0), in an order drawn from the seed, keeps the share ratio^(k / (C - 1))
of its examples: the first all of them, the last `ratio`.

Reference: Cao et al., "Learning Imbalanced Datasets with Label-Distribution-Aware Margin Loss",
2019.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.streams.class_split import class_split
from evoreplay.streams.stream import ArrayStream


def imbalanced(
    x: Tensor,
    y: Tensor,
    pools: Sequence[Tensor],
    *,
    batch_size: int,
    generator: torch.Generator,
    scale: float = 1.0,
    ratio: float = 0.1,
) -> ArrayStream:
    """`class_split` after thinning each class."""
    require(0 < ratio <= 1, f"imbalance ratio is {ratio!r}; give a number above 0 and at most 1")
    classes = torch.unique(torch.cat([y[pool] for pool in pools]))
    rank = torch.randperm(len(classes), generator=generator).tolist()
    share = {
        label: ratio ** (place / max(1, len(classes) - 1))
        for label, place in zip(classes.tolist(), rank, strict=True)
    }
    kept = []
    for pool in pools:
        parts = []
        for label in torch.unique(y[pool]).tolist():
            own = pool[y[pool] == label]
            count = max(1, round(share[label] * len(own)))
            parts.append(own[torch.randperm(len(own), generator=generator)[:count]])
        kept.append(torch.cat(parts))
    return class_split(x, y, kept, batch_size=batch_size, generator=generator, scale=scale)

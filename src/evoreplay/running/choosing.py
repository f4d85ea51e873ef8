"""Which of many examples are looked at: always the same ones, without randomness."""

from __future__ import annotations

import torch
from torch import Tensor


def evenly(indices: Tensor, count: int) -> Tensor:
    """At most `count` of the indices, evenly spaced."""
    if len(indices) <= count:
        return indices
    return indices[torch.linspace(0, len(indices) - 1, count).round().long()]


def balanced(labels: Tensor, count: int) -> Tensor:
    """Positions of the first example of each class, then of the second, until there are `count`."""
    by_class = labels.argsort(stable=True)
    sizes = labels.bincount()
    rank = torch.empty_like(by_class)
    rank[by_class] = torch.arange(len(labels)) - (sizes.cumsum(0) - sizes)[labels[by_class]]
    return (rank * len(sizes) + labels).argsort(stable=True)[:count].sort().values

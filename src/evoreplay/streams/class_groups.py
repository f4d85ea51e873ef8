"""Which classes, and which examples, make up a segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from evoreplay.errors import require

Groups = Sequence[Sequence[int]]


def class_groups(classes: int, count: int) -> list[list[int]]:
    """`count` groups of classes in label order, as equal as can be."""
    require(
        1 <= count <= classes,
        f"{count} segments of {classes} classes cannot be made; give 1 to {classes}",
    )
    return [part.tolist() for part in torch.arange(classes).tensor_split(count)]


def indices_by_group(labels: Tensor, groups: Groups) -> list[Tensor]:
    """For each group the indices of its examples, found by label equality."""
    return [torch.isin(labels, torch.tensor(g)).nonzero().squeeze(1) for g in groups]


class KeptAndHeldOut(NamedTuple):
    """Indices of each group's examples, in two disjoint parts."""

    kept: list[Tensor]
    held_out: list[Tensor]


def hold_out(pools: Sequence[Tensor], share: float, generator: torch.Generator) -> KeptAndHeldOut:
    """Hold out a random `share` of each pool, rounded to whole examples."""
    kept, held_out = [], []
    for pool in pools:
        shuffled = pool[torch.randperm(len(pool), generator=generator)]
        count = round(share * len(pool))
        held_out.append(shuffled[:count].sort().values)
        kept.append(shuffled[count:].sort().values)
    return KeptAndHeldOut(kept, held_out)

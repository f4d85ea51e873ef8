r"""Blurry: one group of classes fades into the next, so that no boundary exists.

Pool i would fill the interval [a_i, b_i] of the stream. Each of its examples is moved from its
place by a random shift e, reflected at the ends of the stream, so its density is the interval
convolved with the density of e:

    gaussian   e ~ N(0, w^2):            d_i(t) ~ Phi((t - a_i) / w) - Phi((t - b_i) / w)
    linear     e ~ uniform(-w/2, w/2):   shares rise and fall linearly over a length w

with w = `width` in units of the mean length of a segment. Every example comes exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.streams.stream import ArrayStream
from evoreplay.streams.timed import ordered_by_time, spread_evenly, thinned

Transition = Literal["gaussian", "linear"]


def blurry(
    x: Tensor,
    y: Tensor,
    pools: Sequence[Tensor],
    *,
    batch_size: int,
    generator: torch.Generator,
    scale: float = 1.0,
    width: float = 0.5,
    transition: Transition = "gaussian",
) -> ArrayStream:
    """Pool after pool, blurred; measured at as many equal parts as there are pools."""
    require(0 <= width < float("inf"), f"width is {width!r}; give 0 or more segment lengths")
    require(
        transition in ("gaussian", "linear"),
        f"transition is {transition!r}; give 'gaussian' or 'linear'",
    )
    pools = thinned(pools, scale, generator)
    total = sum(len(pool) for pool in pools)
    reach = width / len(pools)
    times, begin = [], 0.0
    for pool in pools:
        end = begin + len(pool) / total
        place = begin + (end - begin) * spread_evenly(len(pool), generator)
        times.append(reflected(place + reach * _shift(len(pool), transition, generator)))
        begin = end
    return ordered_by_time(x, y, pools, times, batch_size=batch_size, segments=len(pools))


def _shift(count: int, transition: Transition, generator: torch.Generator) -> Tensor:
    if transition == "gaussian":
        return torch.randn(count, generator=generator, dtype=torch.float64)
    return torch.rand(count, generator=generator, dtype=torch.float64) - 0.5


def reflected(times: Tensor) -> Tensor:
    """Times outside [0, 1] folded back into it, which keeps the whole stream evenly filled."""
    folded = torch.remainder(times, 2.0)
    return torch.where(folded > 1, 2 - folded, folded)

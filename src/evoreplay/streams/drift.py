r"""Drift: class shares that follow a schedule.

The schedule is a list of rows, equally spaced over the stream; a row gives the share of each pool
at that moment, and between rows shares change linearly: p_i(t). Rows are scaled to sum to 1. Pool i
delivers

    m_i = L * integral of p_i,      L = min_i ( n_i / integral of p_i ),

the longest stream for which no pool runs out; its examples get times of density p_i / integral of
p_i. No example comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.streams.stream import ArrayStream
from evoreplay.streams.timed import ordered_by_time, spread_evenly, thinned

RESOLUTION = 10_000
NEGLIGIBLE = 1e-6


def drift(
    x: Tensor,
    y: Tensor,
    pools: Sequence[Tensor],
    *,
    batch_size: int,
    generator: torch.Generator,
    schedule: Sequence[Sequence[float]],
    scale: float = 1.0,
    segments: int | None = None,
) -> ArrayStream:
    """Pools in changing shares; measured at `segments` equal parts (as many as pools if None)."""
    pools = thinned(pools, scale, generator)
    moments, shares = interpolated(schedule, len(pools))
    integrals = shares.mean(axis=0)
    needed = [n for n, integral in enumerate(integrals) if integral > NEGLIGIBLE]
    length = min(len(pools[n]) / integrals[n] for n in needed)
    chosen, times = [], []
    for number in needed:
        count = int(length * integrals[number] + 1e-9)
        cumulative = np.concatenate([[0.0], np.cumsum(shares[:, number])])
        quantiles = spread_evenly(count, generator).numpy()
        edges = np.linspace(0.0, 1.0, len(moments) + 1)
        times.append(torch.from_numpy(np.interp(quantiles * cumulative[-1], cumulative, edges)))
        chosen.append(pools[number][:count])
    return ordered_by_time(
        x, y, chosen, times, batch_size=batch_size, segments=segments or len(pools)
    )


def interpolated(schedule: Sequence[Sequence[float]], pools: int) -> tuple[np.ndarray, np.ndarray]:
    """Moments of [0, 1] and the share of each pool at each of them."""
    require(
        len(schedule) >= 1 and all(len(row) == pools for row in schedule),
        f"the schedule has rows of {[len(row) for row in schedule]} shares for {pools} pools; "
        f"give one or more rows of {pools}",
    )
    rows = np.array(schedule, dtype=np.float64)
    require(
        bool((rows >= 0).all() and (rows.sum(axis=1) > 0).all()),
        "the schedule has a negative share or a row of zeros; give shares of 0 or more, not all 0",
    )
    rows = rows / rows.sum(axis=1, keepdims=True)
    moments = (np.arange(RESOLUTION) + 0.5) / RESOLUTION
    knots = np.linspace(0, 1, len(rows)) if len(rows) > 1 else np.zeros(1)
    columns = [np.interp(moments, knots, rows[:, n]) for n in range(pools)]
    return moments, np.stack(columns, axis=1)

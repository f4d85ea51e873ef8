"""CPU time of many things, interleaved in one process so that all see the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median, quantiles
from typing import NamedTuple

Work = Callable[[], object]


class Ratio(NamedTuple):
    """Of two kinds of work, measured round by round."""

    median: float
    low: float
    """First quartile over the rounds."""
    high: float
    """Third quartile."""


def interleaved(
    works: Mapping[str, Work], *, rounds: int, warm_up: int = 2
) -> dict[str, list[float]]:
    """Seconds of CPU time of each work in each round; a round does each of them once."""
    for _ in range(warm_up):
        for work in works.values():
            work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            began = time.process_time()
            work()
            times[name].append(time.process_time() - began)
    return times


def ratio(times: Mapping[str, list[float]], name: str, reference: str) -> Ratio:
    """Of `name` to `reference`: within each round, then over the rounds."""
    each = [a / b for a, b in zip(times[name], times[reference], strict=True)]
    low, _, high = quantiles(each, n=4) if len(each) > 1 else (each[0], each[0], each[0])
    return Ratio(median(each), low, high)

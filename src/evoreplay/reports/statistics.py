"""Mean, spread and intervals over seeds.

For values x_1 ... x_n (one for each seed) with mean m and standard deviation s (ddof 1) the 95 %
interval of the mean is m +- t s / sqrt(n), t the 0.975 quantile of Student's distribution with
n - 1 degrees of freedom. Two methods are compared by seed: the same interval, of the differences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

LEVEL = 0.95
FEWEST_PAIRS = 2


class Summary(NamedTuple):
    """Values over seeds; one value has no deviation and no interval."""

    n: int
    mean: float
    deviation: float | None
    """With n - 1 in the denominator."""
    low: float | None
    """Lower end of the 95 % t-interval of the mean."""
    high: float | None
    """Its upper end."""

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval and 0 is outside of it."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def summary(values: Sequence[float]) -> Summary:
    """Mean, deviation and interval of at least one value."""
    mean, n = fmean(values), len(values)
    if n == 1:
        return Summary(1, mean, None, None, None)
    deviation = stdev(values)
    half = student_quantile(n - 1) * deviation / math.sqrt(n)
    return Summary(n, mean, deviation, mean - half, mean + half)


def paired_differences(
    ours: Mapping[int, float], theirs: Mapping[int, float], *, scale: float = 1.0
) -> Summary | None:
    """Ours minus theirs over the seeds that both have; None if these are fewer than two."""
    common = sorted(ours.keys() & theirs.keys())
    if len(common) < FEWEST_PAIRS:
        return None
    return summary([scale * (ours[seed] - theirs[seed]) for seed in common])


def paired_ratios(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Summary | None:
    """Ours divided by theirs over the seeds that both have; None if there is none."""
    common = [seed for seed in sorted(ours.keys() & theirs.keys()) if theirs[seed] > 0]
    return summary([ours[seed] / theirs[seed] for seed in common]) if common else None


def student_quantile(freedom: int, level: float = LEVEL) -> float:
    """How many standard errors a two-sided interval reaches to each side."""
    # imported here, because most commands compute no interval
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))

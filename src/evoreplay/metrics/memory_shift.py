r"""How far a sample is from another: the squared maximum mean discrepancy (MMD^2).

For x_1 ... x_m and y_1 ... y_n and the Gaussian kernel k(a, b) = exp(-|a - b|^2 / h),

    MMD^2 = mean over i != j of k(x_i, x_j) + mean over i != j of k(y_i, y_j)
            - 2 mean over i, j of k(x_i, y_j),

the unbiased estimate: its expectation is the squared distance of the two distributions' mean
embeddings, which is 0 if and only if they are the same. For equal distributions it therefore falls
below 0 as well as above; negative values are kept. It lies in [-2, 2] whatever the number of
dimensions, and with h as below the unit of the features does not matter.

The bandwidth h is the median of |r_i - r_j|^2, i < j, of a reference sample r: half of its pairs
are nearer than sqrt(h). It is an argument, so that samples that are to be compared share one.

For equal distributions the estimate is of the order of 1 / min(m, n): with 500 and 500 examples,
values of a few thousandths mean nothing. Both samples are taken as independent. An example that is
in both (a memory beside the stream that it was drawn from) is nearest to itself and would lower the
estimate, by up to 2 / max(m, n); so pairs of an example with itself can be left out of the last
mean. For a memory drawn uniformly from the past the expectation is then exactly 0.

Reference: Gretton et al., "A Kernel Two-Sample Test", JMLR 13, 2012, lemma 6.
"""

from __future__ import annotations

import torch
from torch import Tensor

from evoreplay.errors import require

SMALLEST_BANDWIDTH = 1e-12
FEWEST = 2


def median_bandwidth(reference: Tensor) -> float:
    """The median squared distance of two rows of `reference`, at least 1e-12."""
    squared = _squared_distances(reference, reference)
    above = torch.ones_like(squared, dtype=torch.bool).triu(diagonal=1)
    ordered = squared[above].sort().values
    median = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return max(float(median), SMALLEST_BANDWIDTH)


def squared_discrepancy(
    x: Tensor, y: Tensor, *, bandwidth: float, shared: Tensor | None = None
) -> float:
    """MMD^2 of two samples, one example a row, unbiased, in float64.

    `shared[i, j]` says that x_i and y_j are the same example; such a pair does not count. Without
    any pair that counts the estimate is not a number.
    """
    require(bandwidth > 0, f"bandwidth is {bandwidth!r}; give a number above 0")
    kernel = torch.exp(-_squared_distances(x, y) / bandwidth)
    between = kernel.mean() if shared is None else kernel[~shared].mean()
    return float(_within(x, bandwidth) + _within(y, bandwidth) - 2 * between)


def _within(x: Tensor, bandwidth: float) -> Tensor:
    """The mean of k over all pairs of two different rows."""
    kernel = torch.exp(-_squared_distances(x, x) / bandwidth)
    return (kernel.sum() - kernel.trace()) / (len(x) * (len(x) - 1))


def _squared_distances(x: Tensor, y: Tensor) -> Tensor:
    for sample in (x, y):
        require(
            sample.dim() == 2 and len(sample) >= FEWEST,
            f"a sample has shape {tuple(sample.shape)}; give {FEWEST} or more rows of features",
        )
    require(
        x.shape[1] == y.shape[1],
        f"the samples have {x.shape[1]} and {y.shape[1]} features; give as many for both",
    )
    # by differences: the shortcut over products loses the distances of rows that are near
    mode = "donot_use_mm_for_euclid_dist"
    return torch.cdist(x.double(), y.double(), compute_mode=mode).square()

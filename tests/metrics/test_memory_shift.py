import math
from itertools import combinations
from statistics import fmean, median

import pytest
import torch

from evoreplay import UserError
from evoreplay.metrics import median_bandwidth, squared_discrepancy


def sample(count, mean=0.0, deviation=1.0, *, dimensions=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(count, dimensions, generator=generator, dtype=torch.float64)
    return mean + deviation * noise


def slowly(x, y, bandwidth):
    """The estimate by loops over plain numbers."""

    def kernel(a, b):
        return math.exp(-sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) / bandwidth)

    x, y = x.tolist(), y.tolist()
    within = [
        fmean(kernel(a, b) for n, a in enumerate(z) for m, b in enumerate(z) if n != m)
        for z in (x, y)
    ]
    return sum(within) - 2 * fmean(kernel(a, b) for a in x for b in y)


def between_gaussians(distance, deviation, bandwidth, dimensions):
    """MMD^2 of N(m, s^2 I) and N(m', s^2 I): E k of two points that are N(c, 2 s^2 I) apart."""
    variance = bandwidth / 2
    spread = variance + 2 * deviation**2
    alike = (variance / spread) ** (dimensions / 2)
    return 2 * alike * (1 - math.exp(-(distance**2) / (2 * spread)))


@pytest.mark.parametrize(("m", "n", "bandwidth"), [(2, 3, 0.5), (7, 4, 2.0), (5, 5, 100.0)])
def test_it_is_the_slow_double_loop(m, n, bandwidth):
    x, y = sample(m, seed=1), sample(n, 0.5, seed=2)
    found = squared_discrepancy(x, y, bandwidth=bandwidth)
    assert found == pytest.approx(slowly(x, y, bandwidth), abs=1e-13)


@pytest.mark.parametrize("offset", [0.3, 1.0, 3.0])
def test_two_gaussians_are_as_far_apart_as_the_closed_form_says(offset):
    dimensions, deviation, bandwidth = 2, 0.7, 1.5
    expected = between_gaussians(offset * math.sqrt(2), deviation, bandwidth, dimensions)
    found = [
        squared_discrepancy(
            sample(400, 0.0, deviation, seed=2 * n),
            sample(300, offset, deviation, seed=2 * n + 1),
            bandwidth=bandwidth,
        )
        for n in range(40)
    ]
    error = torch.tensor(found).std().item() / math.sqrt(len(found))
    assert abs(fmean(found) - expected) < 4 * error
    assert error < 0.05 * expected


def test_equal_distributions_give_zero_on_average_and_negative_values_are_kept():
    found = torch.tensor(
        [
            squared_discrepancy(
                sample(60, seed=2 * n),
                sample(90, seed=2 * n + 1),
                bandwidth=median_bandwidth(sample(90, seed=2 * n + 1)),
            )
            for n in range(200)
        ]
    )
    assert abs(float(found.mean())) < 4 * float(found.std()) / math.sqrt(200)
    assert 0.2 < float((found < 0).double().mean()) < 0.8
    assert float(found.std()) < 1 / 60


def test_a_memory_drawn_from_the_past_is_at_distance_zero_once_no_example_meets_itself():
    past, chance = sample(30, seed=5), torch.Generator().manual_seed(0)
    bandwidth, found, naive = median_bandwidth(past), [], []
    for _ in range(400):
        kept = torch.randperm(30, generator=chance)[:10]
        shared = kept[:, None] == torch.arange(30)
        found.append(squared_discrepancy(past[kept], past, bandwidth=bandwidth, shared=shared))
        naive.append(squared_discrepancy(past[kept], past, bandwidth=bandwidth))
    error = torch.tensor(found).std().item() / math.sqrt(len(found))
    assert abs(fmean(found)) < 4 * error
    assert fmean(naive) < -10 * error


def test_pairs_that_are_shared_do_not_count():
    x, y = sample(4, seed=1), sample(5, seed=2)
    shared = torch.zeros(4, 5, dtype=torch.bool)
    shared[1, 3] = shared[2, 0] = True
    found = squared_discrepancy(x, y, bandwidth=2.0, shared=shared)
    kernel = [[math.exp(-float((a - b).square().sum()) / 2) for b in y] for a in x]
    counted = [kernel[i][j] for i in range(4) for j in range(5) if (i, j) not in {(1, 3), (2, 0)}]
    everything = fmean(value for row in kernel for value in row)
    expected = slowly(x, y, 2.0) + 2 * everything - 2 * fmean(counted)
    assert found == pytest.approx(expected, abs=1e-13)
    assert math.isnan(squared_discrepancy(x, y, bandwidth=2.0, shared=shared | True))


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_the_bandwidth_is_the_median_of_the_squared_distances_of_all_pairs(count):
    x = sample(count, dimensions=3, seed=count)
    expected = median(float((a - b).square().sum()) for a, b in combinations(x, 2))
    assert median_bandwidth(x) == pytest.approx(expected)


def test_the_unit_of_the_features_does_not_matter():
    x, y = sample(20, 1.0, seed=1), sample(30, seed=2)
    first, second = (
        squared_discrepancy(unit * x, unit * y, bandwidth=median_bandwidth(unit * y))
        for unit in (1.0, 1000.0)
    )
    assert first == pytest.approx(second, rel=1e-9)


def test_sums_are_in_double_precision_and_near_rows_keep_their_distance():
    far = 1e4 + sample(30, deviation=0.01, seed=3)
    expected = median(float((a - b).square().sum()) for a, b in combinations(far.float(), 2))
    assert median_bandwidth(far.float()) == pytest.approx(expected, rel=1e-3)


def test_rows_that_are_all_the_same_are_no_error():
    same = torch.ones(5, 3)
    assert median_bandwidth(same) == 1e-12
    assert squared_discrepancy(same, same, bandwidth=1e-12) == 0
    assert squared_discrepancy(same, 2 * same, bandwidth=1e-12) == 2


def test_what_cannot_be_compared_is_told():
    with pytest.raises(UserError, match="give 2 or more rows"):
        squared_discrepancy(torch.ones(1, 3), torch.ones(4, 3), bandwidth=1.0)
    with pytest.raises(UserError, match="3 and 2 features"):
        squared_discrepancy(torch.ones(4, 3), torch.ones(4, 2), bandwidth=1.0)
    with pytest.raises(UserError, match="bandwidth is 0"):
        squared_discrepancy(torch.ones(4, 3), torch.ones(4, 3), bandwidth=0)

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evoreplay.reports.statistics import paired_differences, paired_ratios, summary

NUMBERS = st.floats(-100, 100).map(lambda x: round(x, 4))
SPREAD = st.lists(NUMBERS, min_size=2, max_size=12, unique=True)
"""Scipy warns of values that are all the same."""
QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(SPREAD)
def test_mean_deviation_and_interval_are_those_of_scipy(values):
    found = summary(values)
    assert (found.n, found.mean) == (len(values), pytest.approx(stats.tmean(values)))
    assert found.deviation == pytest.approx(stats.tstd(values))
    low, high = stats.t.interval(
        0.95, len(values) - 1, loc=stats.tmean(values), scale=stats.sem(values)
    )
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)


@QUICK
@given(SPREAD, st.lists(NUMBERS, min_size=12, max_size=12))
def test_paired_differences_are_the_paired_t_test_of_scipy(differences, references):
    theirs = dict(enumerate(references[: len(differences)]))
    ours = {seed: theirs[seed] + d for seed, d in enumerate(differences)}
    found = paired_differences(ours, theirs)
    expected = stats.ttest_rel(list(ours.values()), list(theirs.values()))
    low, high = expected.confidence_interval(0.95)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    if abs(expected.pvalue - 0.05) > 1e-9:
        assert found.excludes_zero == (expected.pvalue < 0.05)


def test_one_value_has_no_deviation_and_no_interval():
    assert summary([3.0]) == (1, 3.0, None, None, None)
    assert not summary([3.0]).excludes_zero


def test_pairs_are_made_by_seed_not_by_order():
    found = paired_differences({2: 5.0, 0: 1.0, 7: 99.0}, {0: 0.5, 1: 99.0, 2: 3.0}, scale=10)
    assert found.n == 2
    assert found.mean == pytest.approx(10 * ((5 - 3) + (1 - 0.5)) / 2)


def test_fewer_than_two_common_seeds_are_no_comparison():
    assert paired_differences({0: 1.0, 1: 2.0}, {1: 1.0, 2: 1.0}) is None


def test_equal_runs_show_no_difference_and_a_constant_one_does():
    same = {0: 0.3, 1: 0.5}
    assert not paired_differences(same, same).excludes_zero
    assert paired_differences({0: 2.0, 1: 3.0}, {0: 1.0, 1: 2.0}).excludes_zero


def test_an_interval_that_ends_at_zero_contains_it():
    found = summary([0.0, 2.0])._replace(low=0.0)
    assert not found.excludes_zero


def test_ratios_are_paired_by_seed_and_need_a_positive_time():
    found = paired_ratios({0: 2.0, 1: 9.0, 3: 5.0}, {0: 1.0, 1: 3.0, 3: 0.0})
    assert (found.n, found.mean) == (2, 2.5)
    assert math.isclose(found.deviation, math.sqrt(0.5))
    assert paired_ratios({0: 1.0}, {1: 1.0}) is None

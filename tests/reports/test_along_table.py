import numpy as np
import pytest
from scipy import stats

from evoreplay.reports.report import make_report

CURVES = {
    "er": [(0.9, 0.5, 0.2), (0.8, 0.5, 0.3), (0.9, 0.6, 0.2)],
    "er+ld": [(0.9, 0.6, 0.1), (0.9, 0.5, 0.3), (0.9, 0.7, 0.3)],
    "er+noise": [(0.9, 0.6, 0.4), (0.8, 0.7, 0.5), (0.9, 0.8, 0.3)],
}


@pytest.fixture
def along(write_run, tmp_path):
    def make(curves=CURVES, **settings):
        for method, seeds in curves.items():
            for seed, curve in enumerate(seeds):
                moments = [{"batch": 10 * (i + 1), "accuracy": a} for i, a in enumerate(curve)]
                changes = {"anytime_accuracy": moments}
                write_run(method, seed, changes=changes, **settings)
        (section,) = make_report(tmp_path).sections
        return next((table for table in section.tables if table.name == "along"), None)

    return make


def test_seeds_are_paired_by_the_mean_over_all_moments(along):
    rows = {row[0].text: row for row in along().rows}
    means = {method: np.array(curves).mean(axis=1) for method, curves in CURVES.items()}
    assert rows["er"][2].value == pytest.approx(100 * means["er"].mean())
    for column, other in ((4, "er"), (5, "er+noise")):
        differences = 100 * (means["er+ld"] - means[other])
        low, high = stats.t.interval(0.95, 2, differences.mean(), stats.sem(differences))
        cell = rows["er+ld"][column]
        assert cell.value == pytest.approx(differences.mean())
        numbers = f"[{low:+.2f}, {high:+.2f}]".replace("-", "\N{MINUS SIGN}")
        assert cell.text.endswith(numbers)


@pytest.mark.parametrize(("recipe", "weighs_two"), [("paper", False), ("reference", True)])
def test_equal_weight_is_compared_where_raw_and_evolved_are_replayed(along, recipe, weighs_two):
    curves = {"er": CURVES["er"], "er-x2": CURVES["er"], "er+ld": CURVES["er+ld"]}
    (row,) = (row for row in along(curves, recipe=recipe).rows if "er+ld" in row[0].text)
    to_er, to_twice = row[4], row[6]
    assert (to_twice.value == to_er.value) == weighs_two
    assert (to_twice.text == "\N{EN DASH}") != weighs_two


def test_rows_with_nothing_to_compare_with_have_no_table(along):
    assert along({"er+ld": CURVES["er"], "mir": CURVES["er"]}) is None


def test_runs_that_were_never_measured_on_the_way_have_no_table(along):
    assert along({"er": [()], "er+ld": [()]}) is None

import pytest

from evoreplay.reports.collect import collect
from evoreplay.reports.groups import sections
from evoreplay.reports.rows import percent, rows_of


def rows_in(folder):
    (section,) = sections(collect(folder).runs)
    return {row.group.label: row for row in rows_of(section)}


def test_shares_become_percent_and_nothing_stays_nothing():
    found = percent([0.25, 0.75])
    assert (found.n, found.mean) == (2, 50.0)
    assert percent([]) is None


def test_the_reference_is_compared_with_nothing_and_timed_against_itself(write_run, tmp_path):
    for seed in (0, 1):
        write_run("er", seed, 0.5, changes={"seconds_per_step": 0.1})
        write_run("er+ld", seed, 0.6, changes={"seconds_per_step": 0.3})
    rows = rows_in(tmp_path)
    assert rows["er"].is_reference
    assert rows["er"].to_reference is None
    assert rows["er"].cost.mean == pytest.approx(1)
    assert rows["er+ld"].to_reference.difference.mean == pytest.approx(10)
    assert rows["er+ld"].cost.mean == pytest.approx(3)
    assert rows["er+ld"].to_noise is None


def test_without_er_there_is_no_relative_time_and_without_times_none_at_all(write_run, tmp_path):
    write_run("mir", 0, changes={"seconds_per_step": None, "forgetting": None})
    row = rows_in(tmp_path)["mir"]
    assert (row.cost, row.seconds_per_step, row.forgetting) == (None, None, None)


def test_times_of_two_kinds_of_cpu_are_not_divided(write_run, tmp_path):
    kinds = {"AVX2": {"versions": {"cpu": "AVX2"}}, "AVX512": {"versions": {"cpu": "AVX512"}}}
    for seed, ours, theirs in [(0, "AVX2", "AVX2"), (1, "AVX512", "AVX2"), (2, "AVX512", "AVX512")]:
        write_run("er", seed, changes={"seconds_per_step": 0.01} | kinds[theirs])
        write_run("er+ld", seed, changes={"seconds_per_step": 0.03 + seed % 2} | kinds[ours])
    write_run("er+hmc", 1, changes={"seconds_per_step": 0.02} | kinds["AVX512"])
    rows = rows_in(tmp_path)
    assert rows["er+ld"].cost.n == 2
    assert rows["er+ld"].cost.mean == pytest.approx(3)
    assert rows["er+ld"].seconds_per_step.n == 2
    assert rows["er+ld"].seconds_per_step.mean == pytest.approx(0.03)
    assert rows["er+hmc"].seconds_per_step.mean == pytest.approx(0.02)
    assert rows["er+hmc"].cost is None


def test_the_cost_of_a_step_on_a_layer_is_not_said_without_the_model(write_run, tmp_path):
    write_run("er+ld", 0)
    write_run("er+ld", 0, space="hidden.0")
    rows = rows_in(tmp_path)
    found = {label: row.predicted_cost for label, row in rows.items()}
    assert [cost is None for label, cost in found.items() if "hidden.0" in label] == [True]
    assert [cost > 1 for label, cost in found.items() if "hidden.0" not in label] == [True]

import pytest

from evoreplay import UserError
from evoreplay.benchmarks import Benchmark, run_benchmark
from evoreplay.benchmarks.timing import Ratio
from evoreplay.commands.bench import as_json, require_wide_bars


@pytest.mark.slow
def test_costs_agree_with_the_count_of_passes_within_30_percent():
    found = run_benchmark(rounds=7, precision="float32")
    for row in found.rows:
        if row.predicted is not None:
            assert 0.7 < row.to_er.median / row.predicted < 1.3, row.name


def test_a_short_benchmark_has_its_ratios():
    found = run_benchmark(rounds=1, only=["er+noise", "naive-er"], precision="float32")
    assert [row.name for row in found.rows] == ["er", "er+noise", "naive-er"]
    assert found.rows[0].to_er.median == 1
    assert set(found.ratios) == {"er/naive-er"}
    assert 0 < found.overhead_share < 0.5
    written = as_json(found, 1)
    assert set(written["ratios"]) == {"er/naive-er", "overhead-share"}


def test_a_step_on_a_layer_has_a_row_and_a_prediction_of_its_own():
    found = run_benchmark(rounds=1, only=["er+ld-layer4"], precision="float32")
    row = found.rows[1]
    assert row.name == "er+ld-layer4"
    assert row.predicted > 1


def test_only_ratios_beyond_twice_their_bar_fail():
    require_wide_bars(Benchmark([], {"er/naive-er": Ratio(1.0, 1.0, 1.0)}, 0.01, "float32"))
    with pytest.raises(UserError, match=r"er/naive-er is 1\.20"):
        require_wide_bars(Benchmark([], {"er/naive-er": Ratio(1.2, 1.2, 1.2)}, 0.01, "float32"))
    with pytest.raises(UserError, match="overhead-share"):
        require_wide_bars(Benchmark([], {}, 0.1, "float32"))


@pytest.mark.slow  # bfloat16 without hardware for it takes seconds a step
def test_a_float32_row_stands_beside_each_bfloat16_one():
    found = run_benchmark(rounds=1, only=["er+ld-aligned"], precision="bfloat16")
    names = ["er", "er+ld-aligned", "er (float32)", "er+ld-aligned (float32)"]
    assert [row.name for row in found.rows] == names
    assert found.precision == "bfloat16"
    assert [row.predicted is None for row in found.rows] == [True, True, False, False]
    er, aligned = found.rows[2:]
    # both sides of this bar in float32
    assert found.ratios["er+ld-aligned/er"] == aligned.to_er
    assert er.to_er.median == 1

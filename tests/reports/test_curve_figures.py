import pytest

from evoreplay.reports.curve_figures import Chart, accuracy_range


@pytest.mark.parametrize(("highest", "top"), [(0.294, 30), (0.30, 40), (0.02, 10), (1.0, 100)])
def test_the_axis_of_an_attack_ends_at_the_next_ten_above_the_highest_run(highest, top):
    shares = {"a": [{0.0: highest, 4.0: 0.0}], "b": [{0.0: 0.01}, {0.0: 0.02}], "c": []}
    chart = Chart("attack", "eps", "accuracy %", shares.get)
    assert accuracy_range(chart, list(shares)) == (0, top)

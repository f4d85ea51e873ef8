import pytest

from evoreplay.reports.figures.axes import Frame, ticks


@pytest.mark.parametrize(
    ("low", "high", "about", "expected"),
    [
        (0, 100, 5, [0, 20, 40, 60, 80, 100]),
        (0, 950, 4, [0, 500]),
        (-0.3, 0.3, 3, [-0.2, 0, 0.2]),
        (3, 3, 5, [3]),
        (0, 7, 7, [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_ticks_are_round_numbers_inside_the_range(low, high, about, expected):
    assert ticks(low, high, about) == pytest.approx(expected)


def test_a_value_lies_where_its_share_of_the_axis_is():
    frame = Frame(width=200, height=100, x_range=(0, 10), y_range=(0, 1), left=50, right=50)
    assert (frame.x(0), frame.x(5), frame.x(10)) == (50, 100, 150)
    assert (frame.y(0), frame.y(1)) == (60, 10)

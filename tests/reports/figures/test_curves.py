import pytest

from evoreplay.reports.figures.curves import Curve, curves_chart, mean_curve, room_for, spread
from evoreplay.reports.statistics import summary
from shared.pictures import PLAIN, drawn, points_of


def test_a_curve_is_the_mean_at_the_places_that_all_seeds_have():
    found = mean_curve("a", PLAIN, [{1.0: 0.2, 2.0: 0.4, 3.0: 0.9}, {1.0: 0.4, 2.0: 0.6}])
    assert found.x == (1.0, 2.0)
    assert [s.mean for s in found.y] == pytest.approx([30.0, 50.0])
    assert mean_curve("a", PLAIN, []) is None
    assert mean_curve("a", PLAIN, [{1.0: 0.1}, {2.0: 0.1}]) is None


def test_a_band_reaches_from_low_to_high_and_stays_on_the_chart():
    curve = Curve("a", PLAIN, (0.0, 1.0), (summary([40.0, 60.0]), summary([49.0, 51.0])))
    root = drawn(curves_chart([curve], x_title="x", y_title="y", description="d"))
    (band,) = [e for e in root if "band" in e.attrib.get("class", "")]
    (line,) = [e for e in root if e.attrib.get("class", "").startswith("line")]
    places = points_of(band)
    # 50 +- 127 is cut at the ends of the axis; 50 +- 12.7 is not
    top, bottom = 10, 230
    assert places[0][1] == top
    assert places[3][1] == bottom
    assert places[1][1] == pytest.approx(bottom - 2.2 * 62.7, abs=0.1)
    assert points_of(line)[0][1] == pytest.approx((top + bottom) / 2)


def test_few_lines_are_labelled_and_many_have_a_legend():
    def chart(count, name="m"):
        curves = [Curve(f"{name}{n}", PLAIN, (0.0, 1.0), (summary([n]),) * 2) for n in range(count)]
        return curves_chart(curves, x_title="x", y_title="y", description="d")

    assert "legend" not in chart(3)
    assert 'class="leader' in chart(3)
    assert 'class="legend"' in chart(6)
    assert 'class="legend"' in chart(2, name="a very long name of a row ")


def test_labels_do_not_overlap_and_keep_their_order():
    places = spread([50, 51, 52, 10], 13, 0, 60)
    assert places[3] < places[0] < places[1] < places[2] <= 60
    assert min(b - a for a, b in zip(sorted(places), sorted(places)[1:], strict=False)) >= 13


@pytest.mark.parametrize(
    ("means", "expected"),
    [([0.5, 2.0], (0, 2.3)), ([-1.0, 1.0], (-1.3, 1.3)), ([0.0], (0, 1)), ([-2.0], (-2.3, 0.3))],
)
def test_an_axis_without_a_range_has_room_for_the_means_and_for_zero(means, expected):
    curves = [Curve("a", PLAIN, (0.0,), (summary([mean]),)) for mean in means]
    assert room_for(curves) == pytest.approx(expected)


def test_long_numbers_have_room_left_of_the_axis():
    def left(y):
        curve = Curve("a", PLAIN, (0.0, 1.0), (summary([y]),) * 2)
        chart = curves_chart([curve], x_title="x", y_title="y", description="d", y_range=None)
        return min(float(e.attrib["x1"]) for e in drawn(chart).iter("line"))

    assert left(50.0) == 44
    assert left(0.0004) > 60


def test_bands_have_room_as_far_as_is_allowed():
    # 1 +- 12.7
    wide = [Curve("a", PLAIN, (0.0,), (summary([0.0, 2.0]),))]
    assert room_for(wide) == pytest.approx((0, 1.15))
    assert room_for(wide, stretch=1.0) == pytest.approx((-1.15, 2.15))
    narrow = [Curve("a", PLAIN, (0.0,), (summary([0.99, 1.01]),))]
    assert room_for(narrow, stretch=1.0) == pytest.approx((0, 1 + 0.12706 + 0.15), abs=1e-4)

from xml.etree import ElementTree

import pytest

from evoreplay.reports.figures.axes import Frame, ticks
from evoreplay.reports.figures.balance import balance_chart, mean_balance
from evoreplay.reports.figures.colours import Style
from evoreplay.reports.figures.curves import (
    Curve,
    curves_chart,
    mean_curve,
    room_for,
    spread,
)
from evoreplay.reports.figures.differences import Difference, differences_chart
from evoreplay.reports.figures.matrix import matrix_table, mean_matrix
from evoreplay.reports.figures.memory_map import SIDE, memory_map
from evoreplay.reports.figures.png import data_uri, is_picture
from evoreplay.reports.statistics import summary

PLAIN = Style(1, None)


def drawn(markup):
    """The first picture of some markup."""
    return ElementTree.fromstring(markup[: markup.index("</svg>") + 6])


def points_of(element):
    return [tuple(map(float, p.split(","))) for p in element.attrib["points"].split()]


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


def test_a_difference_that_is_not_shown_has_a_hollow_dot():
    entries = [
        Difference("shown", PLAIN, summary([1.0, 1.1, 1.2]), "higher than er"),
        Difference("not shown", PLAIN, summary([-1.0, 1.1, 1.2]), "no difference shown"),
    ]
    root = drawn(differences_chart(entries, x_title="x", description="d"))
    dots = [e.attrib["class"] for e in root.iter("circle")]
    assert dots == ["dot", "dot hollow"]
    zero = [e for e in root if e.attrib.get("class") == "zero"]
    assert len(zero) == 1


def test_the_matrix_is_a_mean_and_empty_before_a_segment_was_seen():
    found = mean_matrix([[[0.2, 0.4], [None, 1.0]], [[0.4, 0.6], [None, 0.5]]])
    assert found == [[pytest.approx(0.3), pytest.approx(0.5)], [None, 0.75]]
    assert mean_matrix([[[0.5]], [[0.5, 0.5]]]) is None
    assert mean_matrix([[]]) is None
    text = matrix_table(found, "a <row>")
    assert ">30</td>" in text
    assert "<td></td>" in text
    assert "a &lt;row&gt;" in text


def test_layers_of_the_balance_are_stacked_up_to_what_the_memory_holds():
    balance = mean_balance([{5: [10, 0], 9: [5, 5]}, {5: [8, 0], 9: [5, 5], 12: [1, 1]}])
    assert balance == {5: [9, 0], 9: [5, 5]}
    root = drawn(balance_chart(balance, "d"))
    layers = [points_of(e) for e in root if e.attrib.get("class") == "layer edged"]
    assert len(layers) == 2
    assert layers[1][1][1] == 10  # the top of the chart: all ten
    assert layers[0][1][1] == layers[1][2][1]  # one ends where the next begins
    assert mean_balance([{}]) == mean_balance([{1: [1]}, {1: [1, 2]}]) == {}


def test_a_map_fits_its_square_on_one_scale():
    markup = memory_map([(0.0, 0.0), (10.0, 0.0), (0.0, 5.0)], [0, 0, 1], 2, "d")
    root = drawn(markup)
    first, second = [e.attrib["d"] for e in root if e.attrib.get("class") == "dots"]
    assert first == "M8 54h0M192 54h0"
    assert second == "M8 146h0"
    assert [e.text for e in root.iter("text")] == ["0", "1"]
    assert SIDE == 200


def test_a_map_of_a_hundred_classes_has_colours_along_a_ramp_and_no_numbers():
    root = drawn(memory_map([(0.0, 0.0), (1.0, 1.0)], [0, 99], 100, "d"))
    colours = [e.attrib["style"] for e in root if e.attrib.get("class") == "dots"]
    assert colours == ["stroke:#fde725", "stroke:#440154"]
    assert not list(root.iter("text"))


def test_pixels_beyond_the_range_are_cut():
    import base64
    import io

    import numpy as np
    from PIL import Image

    pixels = np.array([[[-1.0, 0.0], [1.0, 3.0]]])
    image = Image.open(io.BytesIO(base64.b64decode(data_uri(pixels, -1, 1).partition(",")[2])))
    assert np.asarray(image).tolist() == [[0, 128], [255, 255]]
    colour = Image.open(
        io.BytesIO(base64.b64decode(data_uri(np.ones((3, 4, 5)), -1, 1).partition(",")[2]))
    )
    assert (colour.mode, colour.size) == ("RGB", (5, 4))
    assert is_picture((3, 32, 32))
    assert not is_picture((64,))
    assert not is_picture((2, 8, 8))


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

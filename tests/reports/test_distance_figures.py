import re
from xml.etree import ElementTree

import pytest

from evoreplay.reports.distance_figures import distance_curves, distance_figures
from shared.report_pictures import parts_of, words


def test_distances_are_two_curves_with_a_flow_and_one_without(measured):
    part, styles = parts_of(measured)
    plain, flow = (distance_curves(row.group, styles) for row in part.rows)
    assert [curve.label for curve in plain] == ["raw"]
    assert [curve.label for curve in flow] == ["raw", "evolved"]
    assert [s.mean for s in flow[1].y] == pytest.approx([0.051] * 3)
    assert flow[1].x == (10, 20, 30)
    assert flow[0].style.dash is not None
    assert flow[1].style.dash is None


def test_captions_say_what_the_interval_shows(measured):
    part, styles = parts_of(measured)
    text = words(distance_figures(part.rows, styles))
    assert "er, n = 2 " in text
    assert "er+ld, n = 2: evolved is farther from past data than raw" in text


def test_a_picture_has_room_for_means_below_zero_and_names_its_axes(
    write_run, memory_keys, tmp_path
):
    write_run("er+ld", 0, changes=memory_keys(-0.004, 0.012, rise=0.1))
    part, styles = parts_of(tmp_path)
    markup = distance_figures(part.rows, styles)
    (chart,) = re.findall(r"<svg viewBox.*?</svg>", markup, flags=re.DOTALL)
    root = ElementTree.fromstring(chart)
    titles = [e.text for e in root.iter("text") if e.attrib.get("class") == "title"]
    assert titles == ["batch of the stream", "squared discrepancy"]
    base = next(float(e.attrib["y1"]) for e in root.iter("line") if e.attrib["class"] == "axis")
    for line in (e for e in root.iter("polyline") if e.attrib["class"].startswith("line")):
        heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
        assert all(10 <= height <= base for height in heights)


def test_rows_that_lack_it_are_left_out_of_the_pictures(measured, write_run):
    write_run("mir", 0)
    part, styles = parts_of(measured)
    assert "mir" not in words(distance_figures(part.rows, styles))

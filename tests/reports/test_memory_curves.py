import re
from xml.etree import ElementTree

import pytest

from evoreplay.reports.by_heart_figures import by_heart_figures, gap_curves
from evoreplay.reports.distance_figures import distance_curves, distance_figures
from evoreplay.reports.figures.colours import styles_of
from evoreplay.reports.page import html_page
from evoreplay.reports.report import make_report


def parts_of(folder):
    (part,) = make_report(folder).sections
    styles = styles_of((row.group.method, row.group.label) for row in part.rows)
    return part, styles


def words(markup):
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


@pytest.fixture
def folder(write_run, memory_keys, tmp_path):
    for seed, noise in enumerate((0.0, 0.002)):
        write_run("er", seed, 0.5, changes=memory_keys(0.01 + noise, loss=0.2 + noise))
        changes = memory_keys(0.02, 0.05 + noise, rise=0.3, loss=0.6, accuracy=0.9)
        write_run("er+ld", seed, 0.5, changes=changes)
    return tmp_path


def test_distances_are_two_curves_with_a_flow_and_one_without(folder):
    part, styles = parts_of(folder)
    plain, flow = (distance_curves(row.group, styles) for row in part.rows)
    assert [curve.label for curve in plain] == ["raw"]
    assert [curve.label for curve in flow] == ["raw", "evolved"]
    assert [s.mean for s in flow[1].y] == pytest.approx([0.051] * 3)
    assert flow[1].x == (10, 20, 30)
    assert flow[0].style.dash is not None
    assert flow[1].style.dash is None


def test_captions_say_what_the_interval_shows(folder):
    part, styles = parts_of(folder)
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


def test_memory_and_test_accuracy_stand_in_one_picture(folder):
    part, styles = parts_of(folder)
    memory, test = gap_curves(part.rows[1].group, styles)
    assert (memory.label, test.label) == ("memory", "test")
    assert [s.mean for s in memory.y] == pytest.approx([90.0] * 3)
    assert [s.mean for s in test.y] == pytest.approx([50.0] * 3)
    assert test.x == (10, 20, 30)
    assert memory.style.colour == test.style.colour
    text = words(by_heart_figures(part.section, styles))
    assert "Loss of the memory: means over seeds." in text
    assert "mean cross-entropy" in text


def test_the_page_has_both_and_runs_from_before_have_neither(folder, write_run, tmp_path):
    text = words(html_page(make_report(folder)))
    for heading in (
        "Is the memory learned by heart?",
        "What evolution does to the memory",
        "Distance of the memory to all past data",
    ):
        assert heading in text
    older = tmp_path / "older"
    write_run("er+ld", 5, out=older)
    text = words(html_page(make_report(older)))
    assert "by heart" not in text
    assert "past data" not in text


def test_rows_that_lack_it_are_left_out_of_the_pictures(folder, write_run):
    write_run("mir", 0)
    part, styles = parts_of(folder)
    assert "mir" not in words(distance_figures(part.rows, styles))
    assert "mir" not in words(by_heart_figures(part.section, styles))

import pytest

from evoreplay.reports.by_heart_figures import by_heart_figures, gap_curves
from shared.report_pictures import parts_of, words


def test_memory_and_test_accuracy_stand_in_one_picture(measured):
    part, styles = parts_of(measured)
    memory, test = gap_curves(part.rows[1].group, styles)
    assert (memory.label, test.label) == ("memory", "test")
    assert [s.mean for s in memory.y] == pytest.approx([90.0] * 3)
    assert [s.mean for s in test.y] == pytest.approx([50.0] * 3)
    assert test.x == (10, 20, 30)
    assert memory.style.colour == test.style.colour
    text = words(by_heart_figures(part.section, styles))
    assert "Loss of the memory: means over seeds." in text
    assert "mean cross-entropy" in text


def test_rows_that_lack_it_are_left_out_of_the_pictures(measured, write_run):
    write_run("mir", 0)
    part, styles = parts_of(measured)
    assert "mir" not in words(by_heart_figures(part.section, styles))

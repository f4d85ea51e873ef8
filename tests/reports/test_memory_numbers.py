import pytest

from evoreplay.reports.memory_numbers import accuracy_on_past
from shared.report_pictures import parts_of


def test_test_accuracy_of_the_past_is_the_mean_of_what_was_seen_at_each_end(write_run, tmp_path):
    matrix = [[0.9, 0.5, 0.3], [None, 0.7, 0.4], [None, None, 0.8]]
    write_run("er", 0, 0.5, changes={"accuracy_matrix": matrix})
    (row,) = parts_of(tmp_path)[0].rows
    (run,) = row.group.runs
    found = accuracy_on_past(run)
    assert list(found) == [10, 20, 30]
    assert list(found.values()) == pytest.approx([0.9, 0.6, 0.5])


def test_a_matrix_that_does_not_fit_the_segments_has_no_curve(write_run, tmp_path):
    write_run("er", 0, changes={"examples_per_segment": [100, 100]})
    (row,) = parts_of(tmp_path)[0].rows
    assert accuracy_on_past(row.group.runs[0]) == {}

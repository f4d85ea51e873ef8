import pytest

from evoreplay.reports.figures.matrix import matrix_table, mean_matrix


def test_the_matrix_is_a_mean_and_empty_before_a_segment_was_seen():
    found = mean_matrix([[[0.2, 0.4], [None, 1.0]], [[0.4, 0.6], [None, 0.5]]])
    assert found == [[pytest.approx(0.3), pytest.approx(0.5)], [None, 0.75]]
    assert mean_matrix([[[0.5]], [[0.5, 0.5]]]) is None
    assert mean_matrix([[]]) is None
    text = matrix_table(found, "a <row>")
    assert ">30</td>" in text
    assert "<td></td>" in text
    assert "a &lt;row&gt;" in text

import pytest

from evoreplay.reports.comparisons import Comparison
from evoreplay.reports.paper_numbers import PaperNumber
from evoreplay.reports.statistics import summary
from evoreplay.reports.tables import comparison_cell, decimal, interval_text, paper_cell


def test_numbers_have_a_true_minus_and_no_negative_zero():
    assert decimal(-1.26, 1) == "\N{MINUS SIGN}1.3"
    assert decimal(-0.001, 2, sign=True) == "0.00"
    assert decimal(0.5, 1, sign=True) == "+0.5"


@pytest.mark.parametrize("differences", [[3.0, -1.0], [0.0, 0.0], [-5.0, 9.0, 3.0]])
def test_a_difference_whose_interval_contains_zero_is_never_a_win(differences):
    found = summary(differences)
    cell = comparison_cell(Comparison("er", "er", found, "no difference shown"))
    assert cell.tone == "none"
    assert cell.detail.startswith("no difference shown")


def test_the_paper_stands_in_brackets_beside_other_data():
    assert paper_cell(PaperNumber(33.3, 2.8, "main", True)).text == "33.3 ± 2.8"
    assert paper_cell(PaperNumber(33.3, None, "main", False)).text == "(33.3)"


def test_intervals_are_written_with_both_ends():
    assert interval_text(summary([1.0, 3.0]), 1) == "[\N{MINUS SIGN}10.7, 14.7]"

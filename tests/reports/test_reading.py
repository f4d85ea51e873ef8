import math

import pytest

from evoreplay import UserError
from evoreplay.reports.reading import number, read_json, share


@pytest.mark.parametrize("text", ["{", "NaN", "[Infinity]", "[" * 100_000, "\x00"])
def test_what_is_no_plain_json_is_damaged(tmp_path, text):
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(UserError, match=r"result.json is damaged: it is no JSON"):
        read_json(tmp_path / "result.json")


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    with pytest.raises(UserError, match=r"result.json cannot be read: No such file"):
        read_json(tmp_path / "result.json")


@pytest.mark.parametrize("value", [True, "0.5", [1], math.inf, math.nan])
def test_only_finite_numbers_are_numbers(value):
    with pytest.raises(UserError, match="is no number"):
        number(value)


def test_a_share_lies_between_0_and_1_and_nothing_is_nothing():
    assert (share(0), share(1), share(0.25), share(None)) == (0.0, 1.0, 0.25, None)
    for value in (-0.1, 1.1):
        with pytest.raises(UserError, match="is no share"):
            share(value)

import os
import random

import numpy
import pytest
import torch

from evoreplay.loggers.surroundings import environment, untouched_randomness


def draws():
    return random.random(), numpy.random.rand(), float(torch.rand(()))  # noqa: NPY002


def seeded():
    random.seed(1)
    numpy.random.seed(1)  # noqa: NPY002
    torch.manual_seed(1)


def test_whatever_is_drawn_inside_the_next_draws_are_those_that_were_due():
    seeded()
    due = draws()
    seeded()
    with untouched_randomness():
        draws()
    assert draws() == due


def test_variables_are_there_inside_and_as_before_outside_even_after_an_error(monkeypatch):
    monkeypatch.setenv("EVOREPLAY_TEST_OLD", "old")
    monkeypatch.delenv("EVOREPLAY_TEST_NEW", raising=False)
    seen = {}

    def fail():
        with environment(EVOREPLAY_TEST_OLD="changed", EVOREPLAY_TEST_NEW="new"):
            seen.update(os.environ)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (seen["EVOREPLAY_TEST_OLD"], seen["EVOREPLAY_TEST_NEW"]) == ("changed", "new")
    assert os.environ["EVOREPLAY_TEST_OLD"] == "old"
    assert "EVOREPLAY_TEST_NEW" not in os.environ

import pytest

from evoreplay.loggers.logger import event_numbers, result_numbers


def test_numbers_of_an_event_are_named_like_paths_and_gaps_are_left_out():
    event = {"event": "measured", "step": 7, "anytime": 0.5, "segments": [0.25, None], "of": "x"}
    assert event_numbers(event) == {"measured/anytime": 0.5, "measured/segments/0": 0.25}


def test_that_a_run_began_is_no_measurement():
    assert event_numbers({"event": "began", "step": 0, "batches": 200}) == {}


@pytest.mark.parametrize("kept", ["final_accuracy", "forgetting"])
def test_a_result_gives_its_numbers_but_neither_settings_nor_histories(kept):
    result = {
        kept: 0.5,
        "seed": 3,
        "config": {"seed": 3},
        "anytime_accuracy": [1, 2],
        "versions": {},
    }
    assert result_numbers(result) == {f"result/{kept}": 0.5}

import pytest

from evoreplay import UserError
from evoreplay.running.finished import load_finished, run_directories


def test_a_model_that_is_missing_or_of_another_run_is_told(finished):
    (finished / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(UserError, match="is missing or not the model of this run"):
        load_finished(finished)
    (finished / "model.safetensors").unlink()
    with pytest.raises(UserError, match="is missing or not the model of this run"):
        load_finished(finished)


def test_runs_are_found_at_any_depth_and_unfinished_ones_are_named(finished):
    top = finished.parent.parent
    unfinished = top / "deep" / "unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "config.yaml").write_text("dataset: digits\n")
    found = run_directories(top)
    assert found.finished == [finished]
    assert found.unfinished == [unfinished]
    assert run_directories(finished).finished == [finished]
    with pytest.raises(UserError, match="is not finished"):
        run_directories(unfinished)
    with pytest.raises(UserError, match="is not finished"):
        load_finished(unfinished)

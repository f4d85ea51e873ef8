import io

import pytest
from rich.console import Console

from evoreplay import Config, UserError
from evoreplay.sweeps.grid import make_grid
from evoreplay.sweeps.on_processes import Place
from evoreplay.sweeps.sweep import sweep

JOBS = make_grid([Config(method="fine-tuning", seed=seed) for seed in range(2)])


def quiet():
    return Console(file=io.StringIO())


def test_what_is_there_is_not_done_again_and_a_damaged_result_is_no_success(tmp_path):
    for job, result in zip(JOBS, ('{"final_accuracy": 0.5}', "{"), strict=True):
        (tmp_path / job.name).mkdir()
        (tmp_path / job.name / "result.json").write_text(result)
    board = sweep(JOBS, Place(tmp_path), quiet())
    done, failed = (board.entries[job.name] for job in JOBS)
    assert (done.state, done.accuracy) == ("done", 0.5)
    assert failed.state == "failed"
    assert "cannot be read; remove it to run again" in failed.reason


@pytest.mark.parametrize(
    ("options", "words"),
    [({"workers": 0}, "--workers is 0"), ({"address": "auto"}, "add --executor ray")],
)
def test_options_that_cannot_be_are_refused(tmp_path, options, words):
    with pytest.raises(UserError, match=words):
        sweep(JOBS, Place(tmp_path), quiet(), **options)


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_run(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="give another --out"):
        sweep(JOBS, Place(tmp_path / "file" / "runs"), quiet())

"""A checkpoint of format 1, written by the code of version 0.1.0, is kept and still resumes."""

import shutil
from pathlib import Path

import pytest

from evoreplay import Config, run
from evoreplay.running.config import run_name
from evoreplay.running.protocol import resolved
from evoreplay.storage import UnreadableStateError, read_manifest, read_state

FIXTURE = Path(__file__).parents[1] / "fixtures" / "checkpoint-format-1"
CONFIG = Config(method="gmed+ld", recipe="paper", scale=0.1, memory_size=10, steps=1, device="cpu")


@pytest.mark.filterwarnings("ignore:this run was begun with")
def test_a_checkpoint_of_an_earlier_version_still_resumes(tmp_path):
    assert read_manifest(FIXTURE)["format"] == 1
    position = read_state(FIXTURE)["position"]
    folder = tmp_path / run_name(resolved(CONFIG)) / "checkpoints"
    # the run directory as a killed run leaves it
    seen = []

    def stop_at_once(progress):
        seen.append(progress.position)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(CONFIG, out=tmp_path, listener=stop_at_once)
    shutil.rmtree(folder)
    shutil.copytree(FIXTURE, folder / "state-00000001")
    result = run(CONFIG, out=tmp_path, listener=lambda p: seen.append(p.position)).result
    assert seen[:2] == [0, position]
    assert 0 <= result["final_accuracy"] <= 1
    # what was not yet measured when it was written begins where the run goes on
    for name in ("memory_loss", "memory_distance", "memory_loss_rise"):
        batches = [moment["batch"] for moment in result[name]]
        assert batches
        assert min(batches) >= position


def test_a_later_format_is_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("evoreplay.storage.FORMAT", 0)
    with pytest.raises(UnreadableStateError, match="continue with the version that wrote it"):
        read_state(FIXTURE)

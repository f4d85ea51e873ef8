import random

import pytest
import torch

from evoreplay import UserError
from evoreplay.running.checkpoint import Checkpoints, Schedule, environment
from evoreplay.storage import numbered_states

ENVIRONMENT = {"torch": "2", "threads": 1}


def make(folder, environment=ENVIRONMENT, **schedule):
    return Checkpoints(folder, Schedule(**schedule), environment)


def state(position):
    return {"position": position, "x": torch.arange(100) + position}


def test_a_checkpoint_is_due_after_steps_or_seconds(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("evoreplay.running.checkpoint.time.monotonic", lambda: now[0])
    saves = make(tmp_path, steps=5, seconds=10.0)
    assert not saves.is_due(4)
    assert saves.is_due(5)
    now[0] = 11.0
    assert saves.is_due(1)
    saves.write(state(5))
    assert not saves.is_due(9)
    assert saves.is_due(10)


def test_the_interval_grows_so_that_saving_takes_2_percent_at_the_most(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("evoreplay.running.checkpoint.time.monotonic", lambda: now[0])
    saves = make(tmp_path, seconds=60.0)

    def slow(*args, **kwargs):
        now[0] += 6.0

    monkeypatch.setattr("evoreplay.running.checkpoint.write_next_state", slow)
    saves.write(state(1))
    now[0] += 299.0
    assert not saves.is_due(2)
    now[0] += 2.0
    assert saves.is_due(2)


@pytest.mark.parametrize("damage", ["truncate", "flip"])
def test_whatever_byte_is_lost_the_checkpoint_before_is_used(tmp_path, damage):
    source = random.Random(0)
    for trial in range(50):
        folder = tmp_path / f"{damage}{trial}"
        for position in (10, 20):
            make(folder).write(state(position))
        newest = numbered_states(folder)[0]
        file = source.choice(sorted(newest.iterdir()))
        data = bytearray(file.read_bytes())
        offset = source.randrange(len(data))
        if damage == "truncate":
            del data[offset:]
        else:
            data[offset] ^= 1 << source.randrange(8)
        file.write_bytes(bytes(data))
        saves = make(folder)
        if damage == "flip" and still_whole(newest):
            continue
        with pytest.warns(UserWarning, match="the checkpoint before it is used"):
            found = saves.newest(strict=False)
        assert found["position"] == 10
        assert torch.equal(found["x"], state(10)["x"])
        # the damaged one is set aside, so two whole ones are kept again
        saves.write(state(11))
        assert len(numbered_states(folder)) == 2


@pytest.mark.parametrize("strict", [True, False])
def test_another_format_or_a_failing_disk_is_refused_and_nothing_is_touched(
    tmp_path, strict, monkeypatch
):
    for position in (1, 2):
        make(tmp_path).write(state(position))
    names = sorted(p.name for p in tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr("evoreplay.storage.FORMAT", 99)
        with pytest.raises(UserError, match="continue with the version that wrote it"):
            make(tmp_path).newest(strict=strict)

    def failing(path):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.read_bytes", failing)
        with pytest.raises(UserError, match="Input/output error"):
            make(tmp_path).newest(strict=strict)
    assert sorted(p.name for p in tmp_path.iterdir()) == names
    assert make(tmp_path).newest(strict=strict)["position"] == 2


def test_other_data_are_refused_whether_strict_or_not(tmp_path):
    make(tmp_path, {"data": "abc"}).write(state(1))
    for strict in (True, False):
        with pytest.raises(UserError, match="no longer those it was begun with"):
            make(tmp_path, {"data": "xyz"}).newest(strict=strict)


def still_whole(folder):
    """A flip in the manifest's white space changes nothing that it says."""
    from evoreplay.storage import DamagedStateError, read_state

    try:
        read_state(folder)
    except DamagedStateError:
        return False
    return True


def test_leftovers_of_a_crash_are_cleared_away(tmp_path):
    make(tmp_path).write(state(1))
    (tmp_path / ".state-00000002.77.tmp").mkdir()
    (tmp_path / ".state-00000002.77.tmp" / "tensors.safetensors").write_bytes(b"half")
    assert make(tmp_path).newest(strict=True)["position"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["state-00000001"]


def test_another_environment_warns_and_is_refused_if_strict(tmp_path):
    make(tmp_path).write(state(1))
    other = make(tmp_path, {"torch": "2", "threads": 8})
    with pytest.warns(UserWarning, match="begun with threads 1 and goes on with 8"):
        assert other.newest(strict=False)["position"] == 1
    with pytest.raises(UserError, match="leave out --strict"):
        other.newest(strict=True)
    assert make(tmp_path).newest(strict=True)["position"] == 1


def test_the_environment_has_all_that_bytes_may_depend_on():
    found = environment("cpu", "abcd", "data")
    assert found["torch"] == torch.__version__
    assert set(found) == {"torch", "threads", "device", "config hash", "data"}


def test_a_full_disk_keeps_the_old_checkpoint_and_says_what_to_do(tmp_path, monkeypatch):
    saves = make(tmp_path)
    saves.write(state(1))
    with monkeypatch.context() as patch:

        def full(descriptor):
            raise OSError(28, "No space left on device")

        patch.setattr("os.fsync", full)
        with pytest.raises(UserError, match="No space left on device; the one before is kept"):
            saves.write(state(2))
    assert make(tmp_path).newest(strict=True)["position"] == 1
    assert len(list(tmp_path.iterdir())) == 1

import json

import pytest
import torch

from evoreplay.checks import same
from evoreplay.storage import (
    DamagedStateError,
    UnreadableStateError,
    clear_leftovers,
    newest_state,
    numbered_states,
    read_state,
    write_file,
    write_folder,
    write_next_state,
    write_state,
)

STATE = {
    "tensors": {"a": torch.arange(6).reshape(2, 3), "half": torch.ones(2, dtype=torch.bfloat16)},
    "shared": [torch.ones(4)] * 2,
    "view": torch.arange(10.0)[::2],
    "empty": torch.zeros(0, 3),
    7: ("tuple", [1, 2.5, None, True], {}),
    "$tensor": "a name that looks like a mark",
    "text": "ä",
}


def test_a_state_comes_back_with_every_type_it_had(tmp_path):
    write_state(tmp_path / "s", STATE)
    found = read_state(tmp_path / "s")
    assert same(found, STATE)
    assert list(found) == list(STATE)
    assert isinstance(found[7], tuple)
    assert isinstance(found[7][1], list)


def test_equal_states_are_equal_bytes(tmp_path):
    for name in ("a", "b"):
        write_state(tmp_path / name, STATE)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_what_is_not_plain_data_is_named_and_leaves_nothing(tmp_path):
    with pytest.raises(TypeError, match="/model is a Linear"):
        write_state(tmp_path / "s", {"model": torch.nn.Linear(1, 1)})
    assert list(tmp_path.iterdir()) == []


def test_a_flipped_byte_or_a_missing_end_is_noticed_anywhere(tmp_path):
    write_state(tmp_path / "s", STATE)
    for file in sorted((tmp_path / "s").iterdir()):
        whole = file.read_bytes()
        for offset in range(0, len(whole), max(1, len(whole) // 15)):
            flipped = bytearray(whole)
            flipped[offset] ^= 1
            file.write_bytes(bytes(flipped))
            if file.name != "manifest.json" or not still_says_the_same(flipped, whole):
                with pytest.raises(DamagedStateError):
                    read_state(tmp_path / "s")
            file.write_bytes(whole[:offset])
            with pytest.raises(DamagedStateError):
                read_state(tmp_path / "s")
        file.write_bytes(whole)
    assert same(read_state(tmp_path / "s"), STATE)


def still_says_the_same(a, b):
    """A flip in white space."""
    try:
        return json.loads(a) == json.loads(b)
    except ValueError:
        return False


def test_the_newest_whole_state_is_found_and_two_are_kept(tmp_path):
    for number in range(4):
        write_next_state(tmp_path, {"n": number})
    assert len(numbered_states(tmp_path)) == 2
    folder, state = newest_state(tmp_path)
    assert state == {"n": 3}
    (folder / "state.json").write_bytes(b"{")
    with pytest.warns(UserWarning, match="the state before it is used"):
        assert newest_state(tmp_path)[1] == {"n": 2}
    (tmp_path / "state-notanumber").mkdir()
    write_next_state(tmp_path, {"n": 4})
    assert newest_state(tmp_path)[1] == {"n": 4}


def test_an_empty_or_missing_folder_has_no_state(tmp_path):
    assert newest_state(tmp_path) is None
    assert newest_state(tmp_path / "nowhere") is None


def test_another_format_is_refused_with_what_to_do(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("evoreplay.storage.FORMAT", 99)
        write_state(tmp_path / "s", {})
    with pytest.raises(UnreadableStateError, match="continue with the version that wrote it"):
        read_state(tmp_path / "s")


def test_keys_that_read_the_same_keep_their_own_tensors(tmp_path):
    state = {
        "a/b": torch.tensor(0),
        "a": {"b": torch.tensor(1)},
        1: torch.tensor(2),
        "1": torch.tensor(3),
    }
    write_state(tmp_path / "s", state)
    assert same(read_state(tmp_path / "s"), state)


def test_a_disk_that_cannot_be_read_just_now_is_no_damage(tmp_path, monkeypatch):
    write_state(tmp_path / "s", {"x": 1})

    def failing(path):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.read_bytes", failing)
        with pytest.raises(UnreadableStateError, match="nothing was changed"):
            read_state(tmp_path / "s")
    assert read_state(tmp_path / "s") == {"x": 1}


def test_leftovers_are_cleared_before_the_next_state(tmp_path):
    (tmp_path / ".state-00000001.x.tmp").mkdir()
    (tmp_path / ".file.x.tmp").write_bytes(b"half")
    write_next_state(tmp_path, {"x": 1})
    assert [p.name for p in tmp_path.iterdir()] == ["state-00000001"]
    clear_leftovers(tmp_path / "nowhere")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    write_file(path, b"old")

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_a_folder_is_written_whole_or_not_at_all_and_never_over_another(tmp_path):
    write_folder(tmp_path / "new", {"a": b"1", "b": b"2"})
    assert {file.name: file.read_bytes() for file in (tmp_path / "new").iterdir()} == {
        "a": b"1",
        "b": b"2",
    }
    with pytest.raises(OSError, match="not empty"):
        write_folder(tmp_path / "new", {"c": b"3"})
    with pytest.raises(OSError, match="No such file"):
        write_folder(tmp_path / "other", {"a": b"1", "no/where": b"2"})
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["a", "b"]

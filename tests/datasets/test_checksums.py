import hashlib
import os

import pytest

from evoreplay.datasets import checksums
from evoreplay.datasets.checksums import listed_checksums, remembered_sha256, sha256_of
from evoreplay.errors import UserError


@pytest.fixture
def counted(monkeypatch):
    """The files that were really read."""
    read = []
    monkeypatch.setattr(checksums, "sha256_of", lambda file: read.append(file) or sha256_of(file))
    return read


def test_a_file_is_read_once(tmp_path, counted):
    file = tmp_path / "a"
    file.write_bytes(b"one")
    first = remembered_sha256([file], tmp_path, tmp_path / "cache")
    assert remembered_sha256([file], tmp_path, tmp_path / "cache") == first
    assert first == [hashlib.sha256(b"one").hexdigest()]
    assert counted == [file]


def test_a_changed_file_is_read_again_even_with_its_old_time(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"one")
    before = file.stat()
    first = remembered_sha256([file], tmp_path, tmp_path / "cache")
    file.write_bytes(b"two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert remembered_sha256([file], tmp_path, tmp_path / "cache") != first


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 3}'])
def test_a_damaged_note_only_costs_time(tmp_path, damage):
    file = tmp_path / "a"
    file.write_bytes(b"one")
    first = remembered_sha256([file], tmp_path, tmp_path / "cache")
    (note,) = (tmp_path / "cache" / "checksums").iterdir()
    note.write_text(damage)
    assert remembered_sha256([file], tmp_path, tmp_path / "cache") == first


def test_files_of_one_folder_do_not_displace_each_other(tmp_path, counted):
    for name in "aba":
        (tmp_path / name).exists() or (tmp_path / name).write_bytes(b"one")
        remembered_sha256([tmp_path / name], tmp_path, tmp_path / "cache")
    assert len(counted) == 2


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="gone cannot be read"):
        remembered_sha256([tmp_path / "gone"], tmp_path, tmp_path / "cache")
    with pytest.raises(UserError, match="gone cannot be read"):
        sha256_of(tmp_path / "gone")


def test_lists_of_checksums_are_found_beside_and_above(tmp_path):
    folder = tmp_path / "cifar10"
    folder.mkdir()
    (tmp_path / "SHA256SUMS").write_text("AB  cifar10/one\ncd  other/two\n\n")
    (folder / "SHA256SUMS").write_text("ef *three\n")
    listed = listed_checksums(folder)
    assert listed[(folder / "one").resolve()] == "ab"
    assert listed[(folder / "three").resolve()] == "ef"

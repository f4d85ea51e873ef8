import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from evoreplay.datasets import cache as cache_module
from evoreplay.datasets.cache import decoded
from evoreplay.datasets.image_folder import find_image_folder
from evoreplay.datasets.parquet import ParquetLayout, find_parquet
from evoreplay.errors import UserError


@pytest.fixture
def source(tmp_path, write_parquet):
    write_parquet(tmp_path / "source" / "train.parquet", [0, 1, 1])
    write_parquet(tmp_path / "source" / "test.parquet", [0, 1])
    return tmp_path / "source"


@pytest.fixture
def readings(monkeypatch):
    """How often something was really decoded."""
    happened = []
    read = ParquetLayout.read
    monkeypatch.setattr(ParquetLayout, "read", lambda self: happened.append(self) or read(self))
    return happened


def entries(cache):
    return sorted((cache / "decoded").iterdir())


def test_the_second_load_maps_what_the_first_has_decoded(source, tmp_path, readings):
    first = decoded(find_parquet(source), tmp_path / "cache")
    second = decoded(find_parquet(source), tmp_path / "cache")
    assert len(readings) == 1
    assert isinstance(second.train_x, np.memmap)
    for one, other, fresh in zip(first, second, find_parquet(source).read(), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, fresh)


def test_names_of_classes_survive(tmp_path, write_images):
    for name in ("cat", "dog"):
        write_images(tmp_path / "source" / name)
    for _ in range(2):
        parts = decoded(find_image_folder(tmp_path / "source"), tmp_path / "cache")
        assert parts.names == ("cat", "dog")


def test_writing_to_what_was_loaded_does_not_change_the_cache(source, tmp_path):
    decoded(find_parquet(source), tmp_path / "cache").train_x[:] = 99
    again = decoded(find_parquet(source), tmp_path / "cache")
    assert (again.train_x != 99).any()


def test_a_copy_of_the_data_shares_the_entry(source, tmp_path, readings):
    shutil.copytree(source, tmp_path / "copy")
    for folder in (source, tmp_path / "copy"):
        decoded(find_parquet(folder), tmp_path / "cache")
    assert len(readings) == 1


def test_changed_content_is_decoded_anew(source, tmp_path, write_parquet):
    decoded(find_parquet(source), tmp_path / "cache")
    write_parquet(source / "train.parquet", [1, 0, 0])
    assert decoded(find_parquet(source), tmp_path / "cache").train_y.tolist() == [1, 0, 0]


@pytest.mark.parametrize("name", ["train_x.npy", "test_y.npy", "manifest.json"])
@pytest.mark.parametrize("harm", ["shorten", "remove", "blank"])
def test_a_damaged_entry_is_made_anew(source, tmp_path, readings, name, harm):
    decoded(find_parquet(source), tmp_path / "cache")
    (entry,) = entries(tmp_path / "cache")
    data = (entry / name).read_bytes()
    if harm == "remove":
        (entry / name).unlink()
    else:
        (entry / name).write_bytes(data[:-5] if harm == "shorten" else bytes(len(data)))
    decoded(find_parquet(source), tmp_path / "cache")
    decoded(find_parquet(source), tmp_path / "cache")
    assert len(readings) == 2


def test_bad_data_leave_nothing_in_the_cache(source, tmp_path, write_parquet, encoded, below):
    write_parquet(source / "train.parquet", [0, 1], [encoded(), b"no image"])
    with pytest.raises(UserError, match="row 1"):
        decoded(find_parquet(source), tmp_path / "cache")
    write_parquet(source / "train.parquet", [0, 2])
    with pytest.raises(UserError, match="class 1"):
        decoded(find_parquet(source), tmp_path / "cache")
    assert "decoded" not in below(tmp_path / "cache")


def test_a_full_disk_means_a_warning_and_no_entry(source, tmp_path, monkeypatch):
    def full(file, array):
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_module, "_write_array", full)
    with pytest.warns(UserWarning, match=r"No space left on device.*EVOREPLAY_CACHE"):
        parts = decoded(find_parquet(source), tmp_path / "cache")
    assert parts.train_y.tolist() == [0, 1, 1]
    assert entries(tmp_path / "cache") == []


def test_without_a_writable_cache_data_are_decoded_in_memory(source, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert len(decoded(find_parquet(source), tmp_path / "cache").train_x) == 3


def test_a_source_that_cannot_be_written_is_left_alone(source, tmp_path, below):
    before = below(source)
    source.chmod(0o555)
    try:
        decoded(find_parquet(source), tmp_path / "cache")
    finally:
        source.chmod(0o755)
    assert below(source) == before


def test_a_process_killed_while_writing_leaves_nothing_that_looks_whole(source, tmp_path):
    program = """
import os, signal, sys
from pathlib import Path
from evoreplay.datasets import cache
from evoreplay.datasets.parquet import find_parquet
write = cache.write_json
cache.write_json = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
cache.decoded(find_parquet(Path(sys.argv[1])), Path(sys.argv[2]))
"""
    command = [sys.executable, "-c", program, str(source), str(tmp_path / "cache")]
    assert subprocess.run(command, check=False).returncode == -9
    assert [path.name[0] for path in entries(tmp_path / "cache")] == ["."]
    decoded(find_parquet(source), tmp_path / "cache")
    (entry,) = entries(tmp_path / "cache")
    assert (entry / "manifest.json").is_file()


def test_a_faster_process_is_not_disturbed(source, tmp_path, monkeypatch, readings):
    rename = os.rename

    def overtaken(temporary, entry):
        shutil.copytree(temporary, entry)
        rename(temporary, entry)

    monkeypatch.setattr(cache_module.os, "rename", overtaken)
    assert isinstance(decoded(find_parquet(source), tmp_path / "cache").train_x, np.memmap)
    assert len(entries(tmp_path / "cache")) == 1

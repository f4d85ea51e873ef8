import os
import platform
import subprocess
import sys

import pytest

from evoreplay.datasets.leftovers import remove_abandoned, temporary_folder


def dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_temporary_folder_is_gone_afterwards(tmp_path):
    with temporary_folder(tmp_path, "a") as folder:
        (folder / "file").write_text("text")
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_is_gone_after_an_error(tmp_path):
    with pytest.raises(KeyboardInterrupt), temporary_folder(tmp_path, "a"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_renamed_stays(tmp_path):
    with temporary_folder(tmp_path, "a") as folder:
        os.rename(folder, tmp_path / "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]


def test_what_a_dead_process_left_is_removed_and_what_a_living_one_has_is_not(tmp_path):
    dead = tmp_path / f".{platform.node()}-{dead_process()}-1-a.tmp"
    living = tmp_path / f".{platform.node()}-{os.getppid()}-1-a.tmp"
    for folder in (dead, living):
        folder.mkdir()
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == [living]


def test_what_another_machine_left_is_removed_after_a_day(tmp_path):
    old, new = tmp_path / ".elsewhere-1-1-a.tmp", tmp_path / ".elsewhere-1-1-b.tmp"
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (0, 0))
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == [new]

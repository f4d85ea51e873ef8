import json
import os
import shutil

import pytest

from evoreplay import UserError
from evoreplay.reports.collect import collect
from evoreplay.reports.groups import sections


def skipped_in(folder):
    return {s.name: s.reason for s in collect(folder).skipped}


def test_runs_are_found_at_any_depth(write_run, tmp_path):
    write_run("er", 0)
    write_run("er", 1, out=tmp_path / "a" / "b")
    found = collect(tmp_path)
    assert [run.seed for run in found.runs] == [1, 0]
    assert found.runs[0].name.startswith("a/b/digits-er-s1-")
    assert found.skipped == []


def test_a_run_directory_itself_is_a_folder_of_one_run(write_run):
    path = write_run("er", 0)
    (run,) = collect(path).runs
    assert run.name == path.name


def test_foreign_unfinished_and_damaged_folders_are_skipped_and_named(write_run, tmp_path):
    write_run("er", 0)
    (tmp_path / "photos" / "2020").mkdir(parents=True)
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "config.yaml").write_text("method: er\n")
    damaged = write_run("er", 1)
    text = (damaged / "result.json").read_text()
    (damaged / "result.json").write_text(text[: len(text) // 2])
    foreign = tmp_path / "other_tool"
    foreign.mkdir()
    (foreign / "result.json").write_text('{"score": 3}')
    found = skipped_in(tmp_path)
    assert found["photos"] == "no run in it"
    assert found["unfinished"] == "not finished: no result.json"
    assert found[damaged.name] == "result.json is damaged: it is no JSON"
    assert found["other_tool"] == "result.json is not that of a run: no 'config'"
    assert len(found) == 4


def test_a_run_from_before_spaces_is_a_seed_of_the_same_row(write_run, tmp_path):
    path = write_run("er+ld", 0)
    write_run("er+ld", 1)
    result = json.loads((path / "result.json").read_text())
    del result["config"]["space"], result["config"]["attacked"]
    (path / "result.json").write_text(json.dumps(result))
    ((row,),) = (section.groups for section in sections(collect(tmp_path).runs))
    assert row.seeds == [0, 1]


def test_a_copy_is_no_second_sample(write_run, tmp_path):
    path = write_run("er", 0)
    shutil.copytree(path, tmp_path / "zz_copy")
    found = collect(tmp_path)
    assert len(found.runs) == 1
    assert found.skipped[0].reason == f"the same config and seed as {path.name}"


def test_links_that_go_in_circles_end(write_run, tmp_path):
    write_run("er", 0)
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    assert len(collect(tmp_path).runs) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(write_run, tmp_path):
    write_run("er", 0)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    try:
        assert skipped_in(tmp_path)["locked"].startswith("cannot be read")
    finally:
        locked.chmod(0o700)


def test_no_finished_run_says_what_to_do_and_what_was_seen(tmp_path):
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "config.yaml").write_text("")
    with pytest.raises(UserError, match=r"(?s)no finished run.*evoreplay run.*begun: not finished"):
        collect(tmp_path)


def test_a_path_that_is_not_a_folder_is_an_error(tmp_path):
    with pytest.raises(UserError, match="is not there"):
        collect(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file"):
        collect(tmp_path / "file")

import copy
import json
import shutil

import pytest

from evoreplay import Config, UserError
from evoreplay.reports.collect import collect
from evoreplay.reports.packed_results import packed, packed_text, unpacked
from evoreplay.reports.write import write_report
from evoreplay.running.protocol import resolved


def planned(*pairs):
    return [
        resolved(Config(method=method, seed=seed, precision="float32", device="cpu"))
        for method, seed in pairs
    ]


PLAN = planned(*((method, seed) for method in ("er", "er+ld", "mir") for seed in (0, 1)))


def attack(path, **changes):
    digits = json.loads((path / "result.json").read_text())["config_hash"]
    found = {
        "config_hash": digits,
        "pgd": {"steps": 20, "curve": [{"eps": 4 / 255, "accuracy": 0.125}]},
    }
    (path / "robustness.json").write_text(json.dumps(found | changes))


@pytest.fixture
def runs(write_run, tmp_path):
    folder = tmp_path / "runs"
    for method, accuracy in (("er+ld", 0.1 + 0.2), ("er", 1 / 3)):
        for seed in (1, 0):
            attack(write_run(method, seed, accuracy, out=folder))
    return folder


@pytest.fixture
def entries(runs):
    return packed(collect(runs).runs, PLAN)


def written(tmp_path, content):
    file = tmp_path / "results.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_every_finished_run_of_the_grid_is_there_whole_and_by_name(runs, write_run, entries):
    names = sorted(path.name for path in runs.iterdir())
    for found, name in zip(entries, names, strict=True):
        robustness = found.pop("robustness")
        assert found == json.loads((runs / name / "result.json").read_text())
        assert robustness == json.loads((runs / name / "robustness.json").read_text())
    write_run("er", 7, out=runs)
    write_run("gss", 0, out=runs)
    shutil.rmtree(runs / names[0])
    again = packed(collect(runs).runs, PLAN)
    assert [(e["method"], e["seed"]) for e in again] == [("er+ld", 1), ("er", 0), ("er", 1)]


def test_the_same_runs_give_the_same_bytes_in_whatever_order_they_are_found(runs):
    found = collect(runs).runs
    assert packed_text(packed(found, PLAN)) == packed_text(packed(found[::-1], PLAN[::-1]))


def test_an_attack_on_another_config_is_left_out_as_it_is_in_the_report(runs):
    first = sorted(runs.iterdir())[0]
    attack(first, config_hash="00000000")
    found = packed(collect(runs).runs, PLAN)
    assert ["robustness" in entry for entry in found] == [False, True, True, True]


def test_unpacked_runs_give_the_same_tables(runs, entries, tmp_path):
    (tmp_path / "results.json").write_text(packed_text(entries))
    paths = unpacked(tmp_path / "results.json", tmp_path / "again")
    assert sorted(p.name for p in paths) == sorted(p.name for p in runs.iterdir())
    for name in ("md", "csv", "json", "latex"):
        files = tmp_path / f"one.{name}", tmp_path / f"two.{name}"
        for folder, file in zip((runs, tmp_path / "again"), files, strict=True):
            write_report(folder, file, name, planned=PLAN)
        assert files[0].read_bytes() == files[1].read_bytes()
    assert "0 of 2 | not measured" in (tmp_path / "two.md").read_text()
    assert "12.5 ± 0.0" in (tmp_path / "two.md").read_text()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"method": "../../../evil"}, "its run would be called"),
        ({"method": "a/b"}, "its run would be called"),
        ({"method": "er\x00"}, "its run would be called"),
        ({"method": None}, "its method is None"),
        ({"dataset": ["digits"]}, "its dataset is"),
        ({"seed": "0"}, "its seed is '0'"),
        ({"seed": True}, "its seed is True"),
    ],
)
def test_a_name_that_is_none_is_refused_and_nothing_is_written(entries, tmp_path, changes, words):
    hostile = copy.deepcopy(entries)
    hostile[-1]["config"] |= changes
    folder = tmp_path / "a" / "b" / "again"
    with pytest.raises(UserError, match=words):
        unpacked(written(tmp_path, hostile), folder)
    assert not (tmp_path / "a").exists()


def test_a_dataset_that_is_a_path_stays_one_folder(entries, tmp_path):
    entries[0]["config"]["dataset"] = "npz:../../my data.npz"
    folder = tmp_path / "again"
    paths = unpacked(written(tmp_path, entries), folder)
    assert {path.parent for path in paths} == {folder}
    assert paths[0].name.startswith("npz_______my_data_npz-er+ld-s0-")


@pytest.mark.parametrize("digits", [None, 12345678, "", "../../..", "ABCDEF01", "0123456789"])
def test_an_entry_needs_its_config_hash(entries, tmp_path, digits):
    entries[1]["config_hash"] = digits
    with pytest.raises(UserError, match=r"entry 2 of results.json is no result: its config_hash"):
        unpacked(written(tmp_path, entries), tmp_path / "again")
    del entries[1]["config_hash"]
    with pytest.raises(UserError, match="its config_hash is None"):
        unpacked(written(tmp_path, entries), tmp_path / "again")


@pytest.mark.parametrize("content", ["", "{", "{}", "null", "3", '"text"', "[]", "[" * 100_000])
def test_what_is_no_list_of_results_is_refused(tmp_path, content):
    with pytest.raises(UserError, match=r"results.json is"):
        unpacked(written(tmp_path, content), tmp_path / "again")


@pytest.mark.parametrize("entry", [3, None, [], {}, {"config": []}])
def test_an_entry_that_is_no_result_is_refused(entries, tmp_path, entry):
    with pytest.raises(UserError, match=r"entry 5 of results.json is no result: it "):
        unpacked(written(tmp_path, [*entries, entry]), tmp_path / "again")


def test_the_same_run_twice_is_refused(entries, tmp_path):
    with pytest.raises(UserError, match="twice"):
        unpacked(written(tmp_path, [*entries, entries[0]]), tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_run_that_is_there_already_is_not_touched(entries, runs, tmp_path):
    before = {file: file.read_bytes() for file in runs.rglob("*.json")}
    with pytest.raises(UserError, match="is there already"):
        unpacked(written(tmp_path, entries), runs)
    assert {file: file.read_bytes() for file in runs.rglob("*.json")} == before


def test_a_result_that_is_nested_without_end_is_refused(entries, tmp_path):
    deep = json.dumps(entries[:1])[:-2] + ', "deep": ' + "[" * 980 + "]" * 980 + "}]"
    with pytest.raises(UserError, match=r"no JSON|nested too deeply"):
        unpacked(written(tmp_path, deep), tmp_path / "again")


def test_a_folder_that_cannot_be_made_is_an_error(entries, tmp_path):
    endless = copy.deepcopy(entries[:1])
    endless[0]["config"]["seed"] = 10**300
    with pytest.raises(UserError, match=r"cannot write .* give another folder"):
        unpacked(written(tmp_path, endless), tmp_path / "again")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write .* give another folder"):
        unpacked(written(tmp_path, entries), tmp_path / "file" / "again")

import numpy as np
import pytest

from evoreplay.reports.collect import collect
from evoreplay.reports.groups import sections
from evoreplay.reports.snapshots import read_snapshots, shown_memories


def only_run(folder):
    (run,) = collect(folder).runs
    return run


def memories(folder, skipped):
    (section,) = sections(collect(folder).runs)
    return shown_memories(section.groups, skipped)


def test_moments_are_read_in_order(write_run, write_snapshot, tmp_path):
    path = write_run("er+ld", 0)
    for step in (90, 30, 60):
        write_snapshot(path, step)
    found = read_snapshots(only_run(tmp_path), [])
    assert [moment.batch for moment in found] == [30, 60, 90]
    evolved = found[0].evolved
    assert evolved.labels == [*range(10), 0, 1]
    assert (evolved.low, evolved.high) == (-1, 1)
    np.testing.assert_allclose(evolved.evolved - evolved.raw, 0.3, atol=1e-6)
    assert found[0].map.labels == [*range(10), *range(10)]


@pytest.mark.parametrize("missing", ["embedding", "embedded", "y"])
def test_a_snapshot_without_a_map_has_none(write_run, write_snapshot, tmp_path, missing):
    write_snapshot(write_run("er+ld", 0), leave_out=[missing])
    (found,) = read_snapshots(only_run(tmp_path), skipped := [])
    assert found.map is None
    assert skipped == []


def test_a_snapshot_of_an_older_run_has_nothing_to_show(write_run, write_snapshot, tmp_path):
    leave_out = ["embedding", "raw"]
    write_snapshot(write_run("er+ld", 0), leave_out=leave_out)
    (found,) = read_snapshots(only_run(tmp_path), skipped := [])
    assert (found.map, found.evolved, skipped) == (None, None, [])


def test_examples_stored_as_numbers_are_shown_from_their_lowest_to_their_highest(
    write_run, write_snapshot, tmp_path
):
    write_snapshot(write_run("er+ld", 0), leave_out=["x"])
    (found,) = read_snapshots(only_run(tmp_path), [])
    assert found.evolved.low == found.evolved.raw.min()
    assert found.evolved.high == found.evolved.raw.max()


def test_a_damaged_snapshot_is_named_and_the_next_seed_shown(write_run, write_snapshot, tmp_path):
    file = write_snapshot(write_run("er+ld", 0))
    file.write_bytes(file.read_bytes()[:200])
    write_snapshot(write_run("er+ld", 1))
    found = memories(tmp_path, skipped := [])
    assert [shown.run.seed for shown in found.mapped] == [1]
    assert [shown.run.seed for shown in found.evolving] == [1]
    (entry,) = skipped
    assert entry.name.endswith("snapshots/step-00000030.safetensors")
    assert "damaged" in entry.reason


def test_only_flows_have_examples_and_not_more_than_eight(write_run, write_snapshot, tmp_path):
    write_snapshot(write_run("er", 0))
    for steps in range(1, 11):
        write_snapshot(write_run("er+ld", 0, steps=steps))
    found = memories(tmp_path, [])
    assert (len(found.evolving), found.evolving_there) == (8, 10)
    assert {shown.group.method for shown in found.evolving} == {"er+ld"}
    assert (len(found.mapped), found.mapped_there) == (8, 11)

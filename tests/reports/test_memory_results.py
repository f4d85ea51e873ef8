import json

import pytest

from evoreplay.reports.collect import collect


def only_run(folder):
    (run,) = collect(folder).runs
    return run


def test_what_was_measured_is_read_by_batch(write_run, memory_keys, tmp_path):
    write_run("er+ld", 0, changes=memory_keys(0.01, -0.02, rise=0.5))
    memory = only_run(tmp_path).memory
    assert memory.measured
    assert list(memory.distance) == list(memory.rise) == list(memory.known) == [10, 20, 30]
    assert memory.distance[20] == (0.01, -0.02)
    assert memory.rise[30] == (1.0, 1.5, 0.25)
    assert memory.rise[30].rise == 0.5
    assert memory.known[10] == (0.5, 0.75)


def test_a_run_from_before_has_measured_nothing_and_is_no_error(write_run, tmp_path):
    write_run("er+ld", 0)
    memory = only_run(tmp_path).memory
    assert not memory.measured
    assert dict(memory.distance) == dict(memory.rise) == dict(memory.known) == {}


def test_numbers_that_a_far_gone_network_lacks_are_none(write_run, memory_keys, tmp_path):
    changes = memory_keys(None, None, rise=0.5, loss=None)
    for moment in changes["memory_loss_rise"]:
        moment |= {"after": None, "rise": None}
    write_run("er+ld", 0, changes=changes)
    memory = only_run(tmp_path).memory
    assert memory.distance[10] == (None, None)
    assert memory.rise[10].rise is None
    assert memory.known[10].loss is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("memory_distance", [{"batch": 1, "raw": 3.0, "evolved": None}]),
        ("memory_distance", [{"batch": 1, "raw": "near", "evolved": None}]),
        ("memory_distance", [{"batch": 1, "raw": 0.5}]),
        ("memory_distance", 3),
        ("memory_loss", [{"batch": 1, "loss": -1.0, "accuracy": 0.5}]),
        ("memory_loss", [{"batch": 1, "loss": 1.0, "accuracy": 1.5}]),
        ("memory_loss_rise", [{"batch": "x", "before": 1, "after": 1, "moved": 1}]),
        ("memory_loss_rise", [{"batch": 1, "before": 1, "after": 1, "moved": -1}]),
    ],
)
def test_values_that_cannot_be_skip_the_run(write_run, tmp_path, key, value):
    write_run("er", 0)
    path = write_run("er", 1, changes={key: value})
    (skipped,) = collect(tmp_path).skipped
    assert skipped.name == path.name
    assert "result.json is not that of a run" in skipped.reason


def test_segments_end_after_as_many_batches_as_their_examples_fill(write_run, tmp_path):
    path = write_run("er", 0, changes={"examples_per_segment": [100, 50, 33]})
    assert only_run(tmp_path).segment_ends == (10, 15, 19)
    result = json.loads((path / "result.json").read_text())
    del result["examples_per_segment"]
    (path / "result.json").write_text(json.dumps(result))
    assert only_run(tmp_path).segment_ends == ()

"""Weights & Biases has no reader of its file in Python any more, so one is written here.

It is LevelDB's log format (https://github.com/google/leveldb/blob/main/doc/log_format.md) after a
header of seven bytes: blocks of 32 KiB with records of checksum (4 bytes), length (2), kind (1)
and data, a protocol buffer each, cut into parts where it does not fit into its block.
"""

import json
import struct

import pytest
import yaml

pytest.importorskip("wandb", reason="wandb is not installed: an extra")

from wandb.proto.wandb_internal_pb2 import Record

BLOCK, HEADER = 32768, 7
WHOLE, LAST_PART = 1, 4


def read(path):
    """The records of the one offline run, by kind."""
    (file,) = (path / "logs" / "wandb").glob("wandb/offline-run-*/run-*.wandb")
    data = file.read_bytes()
    assert data.startswith(b":W&B")
    found, parts, position = {}, b"", HEADER
    while position + HEADER <= len(data):
        left = BLOCK - position % BLOCK
        if left < HEADER:
            position += left
            continue
        length, kind = struct.unpack_from("<HB", data, position + 4)
        position += HEADER + length
        parts += data[position - length : position]
        if kind in (WHOLE, LAST_PART):
            record = Record.FromString(parts)
            parts, name = b"", record.WhichOneof("record_type")
            found.setdefault(name, []).append(getattr(record, name))
    return found


def entries(path):
    numbers = [
        ("".join(item.nested_key), row.step.num, json.loads(item.value_json))
        for row in read(path)["history"]
        for item in row.item
    ]
    return sorted(entry for entry in numbers if not entry[0].startswith("_"))


def test_wandb_has_every_event_and_the_result(runs, told):
    assert entries(runs.whole) == told(runs.whole)
    assert [end.exit_code for end in read(runs.whole)["exit"]] == [0]


def test_after_a_failure_wandb_has_what_came_before_it_and_an_exit_code(runs, told):
    assert entries(runs.failed) == told(runs.failed)
    assert [end.exit_code for end in read(runs.failed)["exit"]] == [1]


def test_a_continued_run_is_one_whole_offline_run_with_the_id_it_had(runs, told):
    assert entries(runs.continued) == told(runs.continued)
    (before,), (after,) = read(runs.failed)["run"], read(runs.continued)["run"]
    assert before.run_id == after.run_id
    assert read(runs.whole)["run"][0].run_id != after.run_id
    assert after.display_name == runs.continued.name


def test_the_settings_are_its_config(runs):
    (run,) = read(runs.whole)["run"]
    found = {item.key: json.loads(item.value_json) for item in run.config.update}
    del found["_wandb"]
    assert found == yaml.safe_load((runs.whole / "config.yaml").read_text())


@pytest.mark.slow
def test_a_run_that_was_killed_shows_no_step_twice_in_wandb(killed, told):
    assert entries(killed.path) == told(killed.path)
    assert (killed.path / "logs" / "wandb" / "complete").exists()

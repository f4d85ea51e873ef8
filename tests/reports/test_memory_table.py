import csv
import io
import json

import pytest

from evoreplay.reports.formats import FORMATS
from evoreplay.reports.report import make_report

DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def rows(folder):
    (part,) = make_report(folder).sections
    return {row.group.label: row for row in part.rows}


def table_of(folder):
    (part,) = make_report(folder).sections
    return next((table for table in part.tables if table.name == "memory"), None)


def cells(folder, label):
    table = table_of(folder)
    titles = [column.title.split(":")[0].split(",")[0] for column in table.columns]
    (row,) = (row for row in table.rows if row[0].text == label)
    return dict(zip(titles, row, strict=True))


@pytest.fixture
def folder(write_run, memory_keys, tmp_path):
    """Three seeds of er and of a flow that takes the memory away from the past."""
    runs = tmp_path / "runs"
    for seed, noise in enumerate((0.0, 0.001, 0.002)):
        write_run("er", seed, 0.5, out=runs, changes=memory_keys(0.01 + noise, accuracy=0.95))
        changes = memory_keys(0.02, 0.05 + noise, rise=0.3 + noise, accuracy=0.75 + noise)
        write_run("er+ld", seed, 0.5, out=runs, changes=changes)
    write_run("fine-tuning", 0, 0.2, out=runs, changes=EMPTY | {"memory_moved": 0.0})
    return runs


EMPTY = {"memory_distance": [], "memory_loss_rise": [], "memory_loss": []}


def test_a_row_has_movement_rise_and_distances_beside_accuracy(folder):
    found = cells(folder, "er+ld")
    assert found["accuracy %"].text == "50.0"
    assert found["moved"].text == "0.1000 ± 0.0000"
    assert found["rise of the loss by evolution"].text == "+0.301"
    # t of 0.975 with two degrees of freedom is 4.3027
    half = 4.3027 * 0.001 / 3**0.5
    assert found["rise of the loss by evolution"].detail == (
        f"[+{0.301 - half:.3f}, +{0.301 + half:.3f}]"
    )
    assert found["distance of raw memory"].text == "0.0200 ± 0.0000"
    assert found["distance of evolved memory"].text == "0.0510 ± 0.0010"
    farther = found["evolved minus raw"]
    assert farther.text == f"+0.0310 [+{0.031 - half:.4f}, +{0.031 + half:.4f}]"
    assert farther.detail == "evolved is farther from past data than raw (n = 3)"
    assert found["accuracy on memory minus test"].text == "25.1 ± 0.1"


def test_learning_less_by_heart_than_er_is_said_and_not_coloured_as_a_loss(folder):
    compared = cells(folder, "er+ld")["difference of the last to er"]
    assert compared.text.startswith(f"{MINUS}19.90 [")
    assert compared.detail == "lower than er (n = 3)"
    assert compared.tone == ""
    assert cells(folder, "er")["difference of the last to er"].text == "the reference"


def test_without_a_flow_or_a_memory_there_is_nothing_to_say(folder):
    plain = cells(folder, "er")
    assert plain["distance of raw memory"].text == "0.0110 ± 0.0010"
    for name in ("rise of the loss by evolution", "distance of evolved memory"):
        assert plain[name].text == DASH
    assert plain["evolved minus raw"].text == DASH
    assert [row[0].text for row in table_of(folder).rows] == ["er", "er+ld"]


def test_an_interval_with_zero_is_no_difference_whatever_the_mean(write_run, memory_keys, tmp_path):
    for seed, evolved in enumerate((0.10, 0.01)):
        write_run("er+ld", seed, changes=memory_keys(0.02, evolved, rise=0.1))
    found = cells(tmp_path, "er+ld")["evolved minus raw"]
    assert found.detail == "no difference shown (n = 2)"
    assert found.tone == "none"


def test_nearer_and_one_seed_have_their_own_words(write_run, memory_keys, tmp_path):
    write_run("er+ld", 0, changes=memory_keys(0.05, 0.01, rise=0.1))
    found = cells(tmp_path, "er+ld")["evolved minus raw"]
    assert (found.text, found.detail) == (DASH, "fewer than 2 seeds")
    write_run("er+ld", 1, changes=memory_keys(0.06, 0.01, rise=0.1))
    write_run("er+ld", 2, changes=memory_keys(0.05, 0.01, rise=0.1))
    assert rows(tmp_path)["er+ld"].memory.farther_words == (
        "evolved is nearer to past data than raw"
    )


def test_older_runs_are_not_measured_and_alone_have_no_table(write_run, memory_keys, tmp_path):
    write_run("mir", 0)
    assert table_of(tmp_path) is None
    write_run("er", 0, changes=memory_keys())
    found = cells(tmp_path, "mir")
    assert found["distance of raw memory"].text == "not measured"
    assert found["loss of the memory"].text == "not measured"
    assert found["moved"].text == "0.1000"


def test_all_numbers_are_in_csv_and_json_and_the_table_in_the_texts(folder):
    report = make_report(folder)
    lines = {line["row"]: line for line in csv.DictReader(io.StringIO(FORMATS["csv"](report)))}
    flow = lines["er+ld"]
    assert float(flow["memory_moved_mean"]) == pytest.approx(0.1)
    assert float(flow["memory_loss_rise_mean"]) == pytest.approx(0.301)
    assert float(flow["memory_distance_evolved_minus_raw_mean"]) == pytest.approx(0.031)
    assert flow["memory_distance_words"] == "evolved is farther from past data than raw"
    assert float(flow["memory_loss_mean"]) == 0.5
    assert flow["memory_minus_test_accuracy_to_er_words"] == "lower than er"
    assert lines["er"]["memory_distance_evolved_mean"] == ""
    (section,) = json.loads(FORMATS["json"](report))["sections"]
    run = next(row for row in section["rows"] if row["row"] == "er+ld")["runs"][1]
    assert run["memory_distance"][2] == pytest.approx({"batch": 30, "raw": 0.02, "evolved": 0.051})
    assert run["memory_loss"][0] == pytest.approx({"batch": 10, "loss": 0.5, "accuracy": 0.751})
    assert run["memory_loss_rise"][0]["moved"] == 0.25
    for name in ("md", "latex"):
        assert "evolved is farther from past data than raw" in FORMATS[name](report)

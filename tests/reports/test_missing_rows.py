"""Rows of a grid of which no run, or not every run, is finished."""

import csv
import io
import json

import pytest

from evoreplay import Config
from evoreplay.reports.formats import FORMATS
from evoreplay.reports.report import make_report
from evoreplay.running.protocol import resolved

DASH = "\N{EN DASH}"


def grid(methods, seeds, **settings):
    settings = {"precision": "float32", "device": "cpu"} | settings
    return [
        resolved(Config(method=method, seed=seed, **settings))
        for method in methods
        for seed in range(seeds)
    ]


def result_rows(report):
    return {
        part.section.title: {
            row[0].text: [cell.text for cell in row[1:]]
            for table in part.tables
            if table.name == "results"
            for row in table.rows
        }
        for part in report.sections
    }


@pytest.fixture
def begun(write_run, tmp_path):
    """Of three methods and five seeds: all of one, three of another, nothing of the third."""
    for seed in range(5):
        write_run("er", seed, 0.5)
    for seed in (0, 2, 4):
        write_run("er+noise", seed, 0.6)
    return make_report(tmp_path, planned=grid(["er", "er+ld", "er+noise"], 5))


def test_a_row_without_a_run_is_not_measured_and_one_with_some_says_how_many(begun):
    (rows,) = result_rows(begun).values()
    assert list(rows) == ["er", "er+ld", "er+noise"]
    assert rows["er"][:2] == ["5", "50.0"]
    assert rows["er+noise"][:2] == ["3 of 5", "60.0"]
    assert rows["er+ld"] == ["0 of 5", "not measured", *[DASH] * 6]
    assert (begun.run_count, begun.row_count, begun.missing_count) == (8, 2, 1)


def test_without_a_grid_nothing_is_missing(write_run, tmp_path):
    write_run("er", 3)
    report = make_report(tmp_path)
    (rows,) = result_rows(report).values()
    assert rows["er"][0] == "1"
    assert report.missing_count == 0
    assert "planned_n" not in FORMATS["csv"](report) + FORMATS["json"](report)
    assert "planned seeds" not in FORMATS["md"](report)


def test_labels_tell_planned_rows_from_measured_ones(write_run, tmp_path):
    write_run("er+ld", 0, steps=5)
    report = make_report(tmp_path, planned=[*grid(["er+ld"], 2), *grid(["er+ld"], 2, steps=1)])
    (rows,) = result_rows(report).values()
    assert {label: cells[0] for label, cells in rows.items()} == {
        "er+ld steps=1": "0 of 2",
        "er+ld steps=5": "1 of 2",
    }


def test_the_papers_number_stands_beside_a_row_that_is_not_measured(write_run, tmp_path):
    write_run("er", 0, dataset="cifar10")
    planned = grid(["er", "er+ld"], 3, dataset="cifar10", recipe="paper")
    report = make_report(tmp_path, planned=planned)
    (rows,) = result_rows(report).values()
    assert rows["er"][-1] == "33.3 ± 2.8"
    assert rows["er+ld"][:2] == ["0 of 3", "not measured"]
    assert rows["er+ld"][-1].startswith("37.6")


def test_planned_rows_go_to_their_dataset_and_scale_of_whatever_subset(write_run, tmp_path):
    write_run("er", 0, dataset="cifar10", changes={"subset": "a half"})
    write_run("er", 0, dataset="cifar10", scale=0.2)
    planned = [
        *grid(["er", "mir"], 2, dataset="cifar10"),
        *grid(["gss"], 2, dataset="cifar10", scale=0.2),
        *grid(["er"], 2, dataset="cifar100"),
    ]
    rows = result_rows(make_report(tmp_path, planned=planned))
    assert {title: {k: v[0] for k, v in found.items()} for title, found in rows.items()} == {
        "cifar10, subset: a half": {"er": "1 of 2", "mir": "0 of 2"},
        "cifar10, scale 0.2 of the stream": {"gss": "0 of 2", "er": "1"},
        "cifar100": {"er": "0 of 2"},
    }
    # a part of the data is not the paper's experiment
    assert rows["cifar10, subset: a half"]["mir"][-1].startswith("(")


def test_runs_that_no_grid_asked_for_are_rows_as_ever(write_run, tmp_path):
    write_run("mir", 0)
    for seed in (0, 7):
        write_run("er", seed)
    (rows,) = result_rows(make_report(tmp_path, planned=grid(["er"], 2))).values()
    assert rows["mir"][0] == "1"
    # seeds 0 and 7 are there, 1 is not
    assert rows["er"][0] == "2 of 3"


def test_every_format_names_what_is_not_measured(begun):
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"](begun))))
    assert [(line["row"], line["accuracy_n"], line["planned_n"]) for line in lines] == [
        ("er", "5", "5"),
        ("er+ld", "0", "5"),
        ("er+noise", "3", "5"),
    ]
    assert (lines[1]["accuracy_mean"], lines[1]["seeds"], lines[1]["command"]) == ("", "", "")
    (section,) = json.loads(FORMATS["json"](begun))["sections"]
    measured, missing, _ = section["rows"]
    assert (missing["planned_n"], missing["accuracy_mean"], missing["runs"]) == (5, None, [])
    assert set(missing) == set(measured)
    assert "| er+ld | 0 of 5 | not measured |" in FORMATS["md"](begun)
    assert "er+ld & 0 of 5 & not measured &" in FORMATS["latex"](begun)
    page = FORMATS["html"](begun)
    assert "not measured" in page
    assert "8 runs in 2 rows on 1 dataset. Not measured yet: 1 row." in page


def test_a_dataset_of_which_nothing_is_measured_has_a_table_and_no_pictures(write_run, tmp_path):
    write_run("er", 0)
    report = make_report(tmp_path, planned=grid(["er", "er+ld"], 1, dataset="cifar10"))
    page = FORMATS["html"](report)
    unmeasured = page[page.index('id="cifar10"') : page.index('id="digits"')]
    assert unmeasured.count("not measured") == 2
    assert "<figure" not in unmeasured
    assert "How to make" not in unmeasured
    assert "How to make" in page
    assert "1 run in 1 row on 1 dataset. Not measured yet: 2 rows." in page

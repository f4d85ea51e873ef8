import csv
import io
import json

import pytest

from evoreplay.reports.formats import FORMATS
from evoreplay.reports.report import make_report


def test_csv_has_one_line_for_each_row_with_its_numbers(folder, tmp_path):
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"](make_report(folder)))))
    assert [line["row"] for line in lines] == ["er", "er+ld", "er+noise"]
    evolved = lines[1]
    assert float(evolved["accuracy_mean"]) == pytest.approx(52.0)
    assert float(evolved["to_er_mean"]) == pytest.approx(2.0)
    assert evolved["to_er_words"] == "no difference shown"
    assert evolved["to_noise_words"] == "lower than er+noise"
    assert lines[0]["to_er_mean"] == ""
    assert evolved["command"].startswith("evoreplay run --dataset digits --method er+ld --seed 0")


def test_accuracy_under_attack_is_in_the_line_of_its_row(write_run, tmp_path):
    for seed, accuracy in ((0, 0.25), (1, 0.75)):
        path = write_run("er", seed)
        attacked = {
            "config_hash": json.loads((path / "result.json").read_text())["config_hash"],
            "pgd": {"steps": 20, "curve": [{"eps": 4 / 255, "accuracy": accuracy}]},
            "cw": {"full": {"steps": 1000, "accuracy": accuracy}},
        }
        (path / "robustness.json").write_text(json.dumps(attacked))
    report = make_report(tmp_path)
    (line,) = csv.DictReader(io.StringIO(FORMATS["csv"](report)))
    assert (line["pgd_4/255_n"], line["pgd_4/255_mean"]) == ("2", "50.0")
    assert (line["cw_full_budget"], line["cw_full_mean"]) == ("steps 1000", "50.0")
    runs = json.loads(FORMATS["json"](report))["sections"][0]["rows"][0]["runs"]
    assert runs[1]["robustness"]["carlini_wagner"]["full"]["accuracy"] == 0.75


def test_json_has_everything_down_to_the_runs(folder):
    found = json.loads(FORMATS["json"](make_report(folder)))
    (section,) = found["sections"]
    (er, evolved, _) = section["rows"]
    assert [run["final_accuracy"] for run in evolved["runs"]] == [0.51, 0.52, 0.53]
    assert er["runs"][0]["anytime_accuracy"][0] == {"batch": 10, "accuracy": 0.5}
    assert [table["name"] for table in section["tables"]] == ["results", "cost", "along"]

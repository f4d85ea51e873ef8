import csv
import io
import json
import shutil
import subprocess

import pytest

from evoreplay import UserError
from evoreplay.reports.formats import FORMATS
from evoreplay.reports.report import make_report
from evoreplay.reports.write import write_report

STRANGE = "a|b & c_d <i> 50 % #1 ~^ \\x {y} $z$ [w]"


@pytest.fixture
def folder(write_run, tmp_path):
    runs = tmp_path / "runs"
    for seed, difference in enumerate((0.01, 0.02, 0.03)):
        write_run("er", seed, 0.5, out=runs)
        write_run("er+ld", seed, 0.5 + difference, out=runs)
        write_run("er+noise", seed, 0.6, out=runs)
    return runs


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_runs_give_the_same_bytes_wherever_they_are(folder, tmp_path, name):
    first = write_report(folder, tmp_path / "one", name)
    shutil.copytree(folder, tmp_path / "moved" / "runs")
    write_report(tmp_path / "moved" / "runs", tmp_path / "two", name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (first.runs, first.rows) == (9, 3)


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("r.html", "<!doctype html>"),
        ("r.unknown", "<!doctype html>"),
        ("r.md", "# evoreplay"),
        ("r.csv", "dataset,"),
        ("r.json", "{"),
        ("r.tex", "% Final accuracy"),
    ],
)
def test_the_suffix_decides_on_the_format(folder, tmp_path, file, begins):
    write_report(folder, tmp_path / "new" / file)
    assert (tmp_path / "new" / file).read_text().startswith(begins)


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
    assert [table["name"] for table in section["tables"]] == ["results", "cost"]


def test_markdown_keeps_its_columns_whatever_a_name_holds(write_run, tmp_path):
    write_run("er", 0, changes={"subset": STRANGE}, model=STRANGE)
    write_run("er", 0, changes={"subset": STRANGE}, model="mlp")
    text = FORMATS["md"](make_report(tmp_path))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    bars = {line.replace("\\|", "").count("|") for line in rows}
    assert bars == {10}
    assert "<i>" not in text.replace("\\<", "")


def test_latex_has_as_many_cells_in_each_row_and_no_bare_special_sign(write_run, tmp_path):
    write_run("er", 0, changes={"subset": STRANGE}, model=STRANGE)
    write_run("er", 0, changes={"subset": STRANGE}, model="mlp")
    text = FORMATS["latex"](make_report(tmp_path))
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {8}
    for row in rows:
        for sign in "%#_":
            assert row.count(sign) == row.count("\\" + sign)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(write_run, tmp_path):
    write_run("er", 0, changes={"subset": STRANGE}, model=STRANGE)
    tables = FORMATS["latex"](make_report(tmp_path))
    document = f"\\documentclass{{article}}\\begin{{document}}\n{tables}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


def test_an_unknown_format_is_an_error_with_the_nearest(folder, tmp_path):
    with pytest.raises(UserError, match="did you mean 'latex'"):
        write_report(folder, tmp_path / "x", "latexx")


def test_a_file_that_cannot_be_written_is_an_error(folder, tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "report.html", tmp_path):
        with pytest.raises(UserError, match=r"cannot write .* give another --out"):
            write_report(folder, out)

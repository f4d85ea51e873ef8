import shutil
import subprocess

import pytest

from evoreplay.reports.formats import FORMATS
from evoreplay.reports.report import make_report

STRANGE = "a|b & c_d <i> 50 % #1 ~^ \\x {y} $z$ [w]"


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

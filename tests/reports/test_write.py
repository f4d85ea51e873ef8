import pytest

from evoreplay import UserError
from evoreplay.reports.write import write_report


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


def test_an_unknown_format_is_an_error_with_the_nearest(folder, tmp_path):
    with pytest.raises(UserError, match="did you mean 'latex'"):
        write_report(folder, tmp_path / "x", "latexx")


def test_a_file_that_cannot_be_written_is_an_error(folder, tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "report.html", tmp_path):
        with pytest.raises(UserError, match=r"cannot write .* give another --out"):
            write_report(folder, out)

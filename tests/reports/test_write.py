import pytest

from evoreplay import UserError
from evoreplay.reports.write import write_report


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("r.html", "<!doctype html>"),
        ("r.md", "# evoreplay"),
        ("r.csv", "dataset,"),
        ("r.json", "{"),
        ("r.tex", "% Final accuracy"),
    ],
)
def test_the_suffix_decides_on_the_format(folder, tmp_path, file, begins):
    write_report(folder, tmp_path / "new" / file)
    assert (tmp_path / "new" / file).read_text().startswith(begins)


def test_a_suffix_that_no_format_has_is_refused_unless_a_format_is_named(folder, tmp_path):
    with pytest.raises(UserError, match=r"suffix of report.pdf; give one of .htm, .html"):
        write_report(folder, tmp_path / "report.pdf")
    assert not (tmp_path / "report.pdf").exists()
    assert write_report(folder, tmp_path / "report.txt", "md").path.exists()
    assert write_report(folder, tmp_path / "report").path.read_text().startswith("<!doctype html>")


def test_an_unknown_format_is_an_error_with_the_nearest(folder, tmp_path):
    with pytest.raises(UserError, match="did you mean 'latex'"):
        write_report(folder, tmp_path / "x", "latexx")


def test_a_file_that_cannot_be_written_is_an_error(folder, tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "report.html", tmp_path):
        with pytest.raises(UserError, match=r"cannot write .* give another --out"):
            write_report(folder, out)

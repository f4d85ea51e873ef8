import shutil

import pytest

from evoreplay.reports.formats import FORMATS
from evoreplay.reports.write import write_report


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_runs_give_the_same_bytes_wherever_they_are(folder, tmp_path, name):
    first = write_report(folder, tmp_path / "one", name)
    shutil.copytree(folder, tmp_path / "moved" / "runs")
    write_report(tmp_path / "moved" / "runs", tmp_path / "two", name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (first.runs, first.rows) == (9, 3)

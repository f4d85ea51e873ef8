"""What CONTRIBUTING says of files, held."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 400


def files(*folders):
    return [file for folder in folders for file in (ROOT / folder).rglob("*.py")]


def test_no_file_is_longer_than_400_lines():
    lengths = {file: len(file.read_text().splitlines()) for file in files("src", "tests")}
    assert len(lengths) > 200
    assert [file for file, length in lengths.items() if length > LONGEST] == []


def test_no_file_is_named_after_nothing():
    names = {"utils.py", "util.py", "helpers.py", "helper.py", "misc.py", "common.py"}
    assert [file for file in files("src", "tests", "benchmarks") if file.name in names] == []

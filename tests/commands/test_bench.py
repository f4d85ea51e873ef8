import json

import pytest

from evoreplay.cli import main


def test_bench_prints_rows_and_bars_and_writes_json(tmp_path, capsys):
    path = tmp_path / "bench.json"
    command = ["bench", "--rounds", "1", "--only", "er+noise", "naive-er", "--json", str(path)]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "er/naive-er" in output
    assert "by its passes" in output
    assert "er/naive-er" in json.loads(path.read_text())["ratios"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench", "--rounds", "0"], "--rounds is 0"),
        (["bench", "--only", "er+lb"], "did you mean 'er+ld'"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, words, capsys):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err

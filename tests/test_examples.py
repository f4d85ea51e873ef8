import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def command(name, *arguments):
    return [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *map(str, arguments)]


def printed(name, *arguments):
    done = subprocess.run(command(name, *arguments), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_four_and_each_is_short():
    files = sorted(EXAMPLES.iterdir())
    names = [file.name for file in files if file.name != "__pycache__"]
    assert names == ["compare_methods.py", "endless_stream.py", "own_flow.py", "own_model.py"]
    for name in names:
        assert 30 <= len((EXAMPLES / name).read_text().splitlines()) <= 60, name


def test_the_own_model_learns_both_kinds_and_forgets_neither():
    output = printed("own_model")
    accuracies = [float(value) for value in re.findall(r"last 200 ([\d.]+)", output)]
    assert len(accuracies) == 6
    assert accuracies[-1] > 0.8
    assert int(re.search(r"(\d+) of 10", output)[1]) >= 8


def test_the_own_flow_passes_its_checks_and_makes_replay_harder():
    output = printed("own_flow")
    assert "the checks are passed" in output
    distance, loss = re.findall(r": ([\d.]+) -> ([\d.]+)", output)
    assert float(distance[0]) > 1 > 0.01 > float(distance[1])
    assert float(loss[1]) > float(loss[0])


@pytest.mark.slow  # fifteen runs in a process of their own
def test_methods_are_compared_with_an_interval():
    lines = printed("compare_methods").splitlines()
    methods = ["fine-tuning", "er", "er-x2", "er+noise", "er+ld"]
    assert [line.split()[0] for line in lines[:5]] == methods
    for line in lines[5:]:
        mean, low, high = (float(value) for value in re.findall(r"[+-]\d+\.\d", line))
        assert low <= mean <= high
        assert ("no difference shown" in line) == (low <= 0 <= high)
    assert "er - fine-tuning" in lines[5]


def newest_files(folder):
    newest = max(folder.iterdir())
    return {file.name: file.read_bytes() for file in newest.iterdir()}


def test_an_endless_stream_that_was_stopped_goes_on_with_the_same_bytes(tmp_path):
    process = subprocess.Popen(
        command("endless_stream", tmp_path / "stopped"), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begins at batch 0\n"
    assert process.stdout.readline().startswith("batch 100: loss ")
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    stopped = int(re.search(r"saved after batch (\d+)", output)[1])
    assert stopped >= 100
    end = stopped + 137
    output = printed("endless_stream", tmp_path / "stopped", "--batches", end)
    assert output.startswith(f"begins at batch {stopped}\n")
    assert output.endswith(f"saved after batch {end}\n")
    printed("endless_stream", tmp_path / "whole", "--batches", end)
    assert newest_files(tmp_path / "stopped") == newest_files(tmp_path / "whole")

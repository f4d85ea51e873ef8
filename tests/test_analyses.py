"""The questions that finished runs are asked, on small runs of the embedded digits."""

import re
import runpy
import sys
from pathlib import Path

import pytest
import torch

import evoreplay as ev
from evoreplay.running.finished import load_finished

ANALYSES = Path(__file__).parent.parent / "analyses"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    return ev.run(ev.Config(method="er", memory_size=50), out=out).path


def printed(name, path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name, str(path)])
    runpy.run_path(str(ANALYSES / f"{name}.py"), run_name="__main__")
    return capsys.readouterr().out


def test_without_noise_the_share_taken_for_new_is_counted_from_the_predictions(finished):
    run = load_finished(finished)
    indices = torch.cat(run.experiment.test.segments)
    taken_for_new = runpy.run_path(str(ANALYSES / "noisy_is_old.py"))["taken_for_new"]
    inputs = run.experiment.test.x[indices].double().div(127.5).sub(1).float()
    with torch.no_grad():
        predicted = run.model.eval()(inputs).argmax(dim=1).tolist()
    newest = set(run.experiment.groups[-1])
    expected = sum(label in newest for label in predicted) / len(predicted)
    assert taken_for_new(run, indices, 0.0) == pytest.approx(expected)
    assert 0 < expected < 1


def test_a_network_drowned_in_noise_no_longer_tells_old_from_new(finished):
    run = load_finished(finished)
    taken_for_new = runpy.run_path(str(ANALYSES / "noisy_is_old.py"))["taken_for_new"]
    old, new = torch.cat(run.experiment.test.segments[:-1]), run.experiment.test.segments[-1]
    clean, noisy = (
        taken_for_new(run, new, d) - taken_for_new(run, old, d) for d in (0.0, 1000.0)
    )  # fmt: skip
    assert clean > 0.3 > abs(noisy)


def test_a_run_has_a_line_of_four_shares_for_each_way_to_normalise(finished, capsys, monkeypatch):
    lines = printed("noisy_is_old", finished, capsys, monkeypatch).splitlines()
    assert "std 0.316" in lines[0]
    shares = [re.findall(r"\d+\.\d", line) for line in lines[2:]]
    assert [finished.name in line for line in lines] == [False, False, True, True]
    assert all(0 <= float(share) <= 100 for line in shares for share in line)
    # the digits' network has no BatchNorm: both ways are one
    assert len(shares[0]) == 4
    assert shares[0] == shares[1]


def test_small_steps_move_less_and_rise_more_than_noise(finished, capsys, monkeypatch):
    lines = printed("aligned_gradients", finished, capsys, monkeypatch).splitlines()[1:]
    numbers = {
        line[:26].strip(): [float(value) for value in re.findall(r"-?\d+\.\d+", line[26:])]
        for line in lines
    }
    cosine, _, _, moved = numbers["noise alone"]
    assert moved == pytest.approx((2 * 0.01 * 5) ** 0.5, rel=0.05)
    assert -1 <= cosine <= 1
    small = numbers["small steps, beta 0"]
    # two steps of RMS 0.005 each
    assert 0 < small[3] <= 0.0101
    assert small[2] > 0

import json
import shutil

import numpy as np
import pytest

from evoreplay import Config, run
from evoreplay.cli import main


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    for seed in range(2):
        run(Config(method="er", scale=0.2, seed=seed), out=out)
    return out


@pytest.fixture
def runs(originals, tmp_path):
    return shutil.copytree(originals, tmp_path / "runs")


def test_a_run_is_attacked_and_the_numbers_are_told(runs, capsys):
    path = next(runs.iterdir())
    command = ["attack", str(path), "--examples", "40", "--eps", "0", "4/255"]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "batch 1 of 2" in output
    assert "at 4/255; 40 test images" in output
    curve = json.loads((path / "robustness.json").read_text())["pgd"]["curve"]
    assert [point["eps"] for point in curve] == [0.0, 4 / 255]
    assert main(command) == 0
    assert "was there already" in capsys.readouterr().out


def test_of_a_run_for_choosing_settings_validation_images_are_attacked(tmp_path, capsys):
    run(Config(method="er", scale=0.2, measured_on="validation"), out=tmp_path)
    assert main(["attack", str(tmp_path), "--examples", "20", "--eps", "4/255"]) == 0
    assert "20 validation images" in capsys.readouterr().out


def test_a_folder_means_every_finished_run_below_it(runs, capsys):
    unfinished = runs / "later"
    unfinished.mkdir()
    (unfinished / "config.yaml").write_text("dataset: digits\n")
    assert main(["attack", str(runs), "--attack", "cw", "--examples", "30"]) == 0
    output = capsys.readouterr().out
    assert f"{unfinished}: not finished, left out" in output
    assert output.count("mean l2 of successes") == 2
    assert len(list(runs.glob("*/robustness.json"))) == 2


def test_quiet_says_nothing(runs, capsys):
    command = ["attack", str(runs), "--examples", "20", "--eps", "0.01", "--quiet"]
    assert main(command) == 0
    assert capsys.readouterr().out == ""


def test_one_run_that_cannot_be_attacked_does_not_stop_the_others(runs, capsys, tmp_path):
    generator = np.random.default_rng(0)
    np.savez(tmp_path / "own.npz", x=generator.normal(size=(80, 6)), y=np.repeat([0, 1], 40))
    dataset = f"npz:{tmp_path / 'own.npz'}"
    vectors = run(Config(dataset=dataset, method="er", segments=2), out=runs / "aaa")
    assert main(["attack", str(runs), "--examples", "10", "--eps", "0.01"]) == 2
    message = capsys.readouterr().err
    assert "1 of 3 runs were not attacked" in message
    assert "not images of 8-bit pixels" in message
    assert len(list(runs.rglob("robustness.json"))) == 2
    assert main(["attack", str(vectors.path)]) == 2
    assert "not images of 8-bit pixels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--attack", "pdg"], "did you mean 'pgd'"),
        (["--budget", "ful"], "did you mean 'full'"),
        (["--budget", "full"], "pgd has one budget"),
        (["--attack", "cw", "--eps", "0.1"], "cw has no eps"),
        (["--eps=-1/255"], "--eps is -1/255; give 0 or more"),
        (["--eps", "far"], "--eps got 'far'"),
        (["--eps", "1/0"], "--eps got '1/0'"),
        (["--examples", "5000"], "examples is 5000, and digits has 359 test images"),
        (["--examples", "0"], "--examples is '0'"),
        (["--examples", "some"], "--examples is 'some'"),
        (["--threads", "0"], "--threads is 0"),
    ],
)
def test_bad_options_get_one_clear_message(options, words, originals, capsys):
    path = next(originals.iterdir())
    assert main(["attack", str(path), *options]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert len(message.strip().splitlines()) == 1
    assert not (path / "robustness.json").exists()


def test_what_is_no_finished_run_is_named(tmp_path, capsys):
    assert main(["attack", str(tmp_path / "nothing")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert main(["attack", str(tmp_path)]) == 2
    assert "holds no runs" in capsys.readouterr().err
    (tmp_path / "config.yaml").write_text("dataset: digits\n")
    assert main(["attack", str(tmp_path)]) == 2
    assert "is not finished; give its run command again" in capsys.readouterr().err

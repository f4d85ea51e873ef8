"""Runs whose examples evolve on a layer, and runs on texts."""

import json
import os
import random
import signal
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from evoreplay import Config, UserError, run
from evoreplay.checks import same
from evoreplay.cli import main
from evoreplay.running.checkpoint import Schedule
from evoreplay.running.experiment_file import read_experiment
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import make_model, prepare_experiment
from evoreplay.storage import newest_state
from shared.killed_runs import exit_status, fingerprint, fork

ROOT = Path(__file__).parents[2]

TOPICS = {
    "food": "bread soup rice fish salt",
    "travel": "train plane ticket hotel map",
    "money": "bank card loan coin bill",
    "weather": "rain snow wind sun cloud",
    "music": "song drum band tune choir",
    "health": "doctor pill sleep fever nurse",
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Sixty short texts of each of six topics, labelled by name."""
    source = random.Random(0)
    rows = [
        {"text": " ".join(source.choices(words.split(), k=source.randint(2, 5))), "label": topic}
        for topic, words in TOPICS.items()
        for _ in range(60)
    ]
    source.shuffle(rows)
    path = tmp_path_factory.mktemp("texts") / "topics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"text:{path}"


SMALL = {"memory_size": 30, "candidates": 15, "reference": 16, "steps": 2, "segments": 3}
TEXT_METHODS = ["fine-tuning", "agem", "gss+ld", "er", "er-x2", "er-bn", "mir+svgd", "gmed+hmc"]


@pytest.mark.parametrize("method", [*TEXT_METHODS, "er+noise", "iid-online"])
def test_every_kind_of_method_runs_on_texts(method, texts, tmp_path):
    result = run(Config(dataset=texts, method=method, scale=0.3, **SMALL), out=tmp_path).result
    assert 0 <= result["final_accuracy"] <= 1
    assert result["config"]["space"] == "embedding"
    # labels were names; the result says which number is which
    assert result["class_names"] == sorted(TOPICS)
    assert set(result["per_class_accuracy"]) == {str(n) for n in range(6)}


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("EVOREPLAY_DATA"), reason="EVOREPLAY_DATA is not set")
def test_replay_of_intents_keeps_what_fine_tuning_forgets(tmp_path):
    found = {
        method: run(Config(dataset="clinc150", method=method, scale=0.3), out=tmp_path).result
        for method in ("fine-tuning", "er")
    }
    accuracy = {method: result["final_accuracy"] for method, result in found.items()}
    assert accuracy["er"] > accuracy["fine-tuning"] + 0.2
    assert found["er"]["subset"] is None
    assert len(found["er"]["accuracy_matrix"]) == 10


@pytest.mark.parametrize(
    ("method", "space"),
    [
        ("er+ld", "hidden.0"),
        ("er+ld", "head"),
        ("mir+svgd", "hidden"),
        ("gmed+hmc", "hidden.0"),
        ("er-aug+ld", "hidden.1"),
        ("gss+noise", "hidden"),
    ],
)
def test_every_kind_of_method_runs_on_a_layer(method, space, tmp_path):
    config = Config(method=method, space=space, scale=0.05, memory_size=20, candidates=15, steps=2)
    result = run(config, out=tmp_path).result
    assert 0 <= result["final_accuracy"] <= 1
    # noise of two steps at rate 0.01: 0.2, whatever the layer
    if method == "er+ld":
        assert 0.1 < result["memory_moved"] < 0.4


def test_a_step_normalised_on_a_layer_is_relative_and_on_the_input_is_not(tmp_path):
    settings = {"step": "normalised", "temperature": 0.0, "steps": 1, "rate": 0.05, "scale": 0.05}
    moved = {
        space: run(Config(method="er+ld", space=space, **settings), out=tmp_path).result
        for space in ("input", "hidden.0")
    }
    # one batch in five finds an empty memory; on the input a step is 0.05 long
    assert moved["input"]["memory_moved"] == pytest.approx(0.05, rel=0.3)
    # features of the first layer have an RMS of about 0.3
    assert moved["hidden.0"]["memory_moved"] < 0.03


def test_a_snapshot_shows_features_before_and_after(texts, tmp_path):
    config = Config(dataset=texts, method="gmed+ld", scale=0.3, recipe="reference", **SMALL)
    outcome = run(config, out=tmp_path)
    file = sorted((outcome.path / "snapshots").iterdir())[-1]
    found = load_file(file)
    assert found["x"].dtype == torch.int16
    length = found["x"].shape[1]
    assert found["delta"].shape == (30, length, 64)
    assert found["features"].shape == (30, 64)
    assert found["raw_features"].shape == found["evolved_features"].shape == (12, length, 64)
    moved = (found["evolved_features"] - found["raw_features"]).std()
    assert 0.15 < moved < 0.25  # two steps at rate 0.01: noise of 0.2
    assert "raw" not in found
    assert found["loss_before"].shape == found["loss_after"].shape == (12,)


@pytest.mark.parametrize("kind", ["layer", "text"])
def test_a_killed_run_ends_with_the_same_bytes(kind, texts, tmp_path):
    settings = {"scale": 0.3, "write_back": True, **SMALL}
    if kind == "text":
        config = Config(dataset=texts, method="mir+hmc", **settings)
    else:
        config = Config(method="gmed+ld", space="hidden.0", **settings)
    often = Schedule(steps=2, seconds=1e9)
    assert exit_status(fork(lambda: run(config, out=tmp_path / "whole"))) == 0

    def continued(last=None):
        def kill(progress):
            if progress.position == last:
                os.kill(os.getpid(), signal.SIGKILL)

        run(config, out=tmp_path / "killed", checkpoints=often, listener=kill)

    # odd: between two checkpoints, so that a step is done again
    for position in (3, 7):
        pid = fork(lambda position=position: continued(position))
        assert os.waitstatus_to_exitcode(exit_status(pid)) == -signal.SIGKILL
        (path,) = (tmp_path / "killed").iterdir()
        assert newest_state(path / "checkpoints")[1]["position"] == position - 1
    assert exit_status(fork(continued)) == 0
    found, expected = fingerprint(tmp_path / "killed"), fingerprint(tmp_path / "whole")
    assert found[:2] == expected[:2]
    assert same(found[2], expected[2])


def test_an_unknown_layer_ends_with_the_nearest_name(tmp_path, capsys):
    command = ["run", "--method", "er+ld", "--set", "space=hiden", "--out", str(tmp_path)]
    assert main(command) == 2
    assert "unknown layer 'hiden'; did you mean 'hidden'?" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_texts_and_their_model_belong_together(texts):
    config = resolved(Config(dataset=texts, model="mlp"))
    dataset = prepare_experiment(config).dataset
    with pytest.raises(UserError, match="holds texts; model=text and texts belong together"):
        make_model(config, dataset)
    digits = prepare_experiment(resolved(Config())).dataset
    with pytest.raises(UserError, match="holds no texts"):
        make_model(resolved(Config(model="text")), digits)


def test_attacks_along_the_stream_refuse_texts(texts, tmp_path):
    with pytest.raises(UserError, match="attacks change pixels"):
        run(Config(dataset=texts, method="er", attacked=5, scale=0.3, **SMALL), out=tmp_path)


def test_the_experiment_on_clinc150_is_a_grid_that_can_be_resolved():
    path = "experiments/clinc150.yaml"
    configs = [resolved(config) for config in read_experiment(ROOT / path)]
    assert len(configs) == 10 * 5
    assert {config.space for config in configs} == {"embedding"}

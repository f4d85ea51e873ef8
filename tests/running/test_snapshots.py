import copy

import torch
from safetensors.torch import load_file
from torch import nn

from evoreplay import Config, FineTuningLearner, Langevin, ReplayLearner, ReservoirMemory, run
from evoreplay.checks import same
from evoreplay.running.directory import RunDirectory
from evoreplay.running.snapshots import (
    features,
    snapshot_positions,
    spread_over_classes,
    take_snapshot,
)


def learner_of(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return ReplayLearner(model, optimizer, memory=ReservoirMemory(8))


def test_a_run_has_three_snapshots_of_its_memory(tmp_path):
    outcome = run(Config(method="gmed", scale=0.2, memory_size=20), out=tmp_path)
    files = sorted((outcome.path / "snapshots").iterdir())
    assert [f.name for f in files] == [f"step-{n:08d}.safetensors" for n in (8, 17, 25)]
    for file in files:
        found = load_file(file)
        assert found["x"].shape == (20, 1, 8, 8)
        assert found["features"].shape == (20, 200)
        assert found["delta"].abs().sum() > 0


def test_a_run_without_memory_has_none(tmp_path):
    outcome = run(Config(method="fine-tuning", scale=0.1), out=tmp_path)
    assert not (outcome.path / "snapshots").exists()


def test_features_are_the_input_of_the_last_linear_layer_with_what_was_written():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
    learner = learner_of(model)
    x, delta = torch.randn(7, 3), torch.randn(7, 3)
    expected = model[1](model[0](x + delta)).detach()
    torch.testing.assert_close(features(learner, x, delta, chunk=3), expected)
    assert not model[2]._forward_hooks


def test_a_model_without_a_linear_layer_is_seen_by_its_logits():
    model = nn.Sequential(nn.Conv1d(1, 2, 3), nn.Flatten())
    found = features(learner_of(model), torch.randn(4, 1, 3), None)
    assert found.shape == (4, 2)


def test_positions_are_thirds_and_an_empty_memory_is_left_out(tmp_path):
    assert snapshot_positions(25) == [8, 17, 25]
    model = nn.Linear(3, 2)
    take_snapshot(learner_of(model), 1, RunDirectory(tmp_path))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    take_snapshot(FineTuningLearner(model, optimizer), 1, RunDirectory(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_maps_the_features_and_shows_examples_before_and_after_evolution(tmp_path):
    outcome = run(Config(method="er+ld", scale=0.2, memory_size=20), out=tmp_path)
    found = load_file(outcome.path / "snapshots" / "step-00000025.safetensors")
    assert found["embedding"].shape == (len(found["embedded"]), 2) == (20, 2)
    assert found["embedding"].std() > 0
    assert len(found["shown"]) == 12
    raw = found["x"][found["shown"]].float() / 127.5 - 1
    torch.testing.assert_close(found["raw"], raw)
    moved = (found["evolved"] - found["raw"]).std()
    assert 0.25 < moved < 0.4  # five steps at rate 0.01: noise of 0.316
    assert found["loss_before"].shape == found["loss_after"].shape == (12,)


def test_where_the_input_takes_a_step_beside_features_a_snapshot_has_both(tmp_path):
    fields = {"space": "hidden.0", "step": "normalised", "temperature": 0.0, "scale": 0.2}
    for input_rate in (0.0, 0.01):
        config = Config(method="er+ld", input_rate=input_rate, memory_size=20, **fields)
        outcome = run(config, out=tmp_path)
        found = load_file(outcome.path / "snapshots" / "step-00000025.safetensors")
        assert not found["raw_features"].equal(found["evolved_features"])
        assert ("raw" in found) == ("evolved" in found) == (input_rate > 0)
    raw = found["x"][found["shown"]].float() / 127.5 - 1
    torch.testing.assert_close(found["raw"], raw)
    steps = (found["evolved"] - found["raw"]).square().flatten(1).mean(dim=1).sqrt()
    # up the loss, unless all of an example's gradient is 0
    torch.testing.assert_close(steps[steps > 0], torch.full((len(steps[steps > 0]),), 0.01))
    assert (steps > 0).sum() > 6


def test_taking_a_snapshot_changes_nothing_in_the_learner(tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Dropout(), nn.Linear(5, 2))
    learner = learner_of(model)
    learner.evolution = Langevin()
    for _ in range(3):
        learner.observe(torch.randn(4, 3), torch.randint(2, (4,)))
    before = copy.deepcopy(learner.state_dict())
    random_state = torch.get_rng_state()
    take_snapshot(learner, 1, RunDirectory(tmp_path))
    assert same(before, learner.state_dict())
    assert torch.equal(random_state, torch.get_rng_state())


def test_shown_examples_come_from_all_classes():
    labels = torch.tensor([0] * 90 + [2] * 5 + [1] * 5)
    slots = spread_over_classes(labels, 6)
    assert labels[slots].tolist() == [0, 0, 1, 1, 2, 2]
    assert slots.tolist() == [0, 1, 95, 96, 90, 91]

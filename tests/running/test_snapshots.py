import torch
from safetensors.torch import load_file
from torch import nn

from evoreplay import Config, FineTuningLearner, ReplayLearner, ReservoirMemory, run
from evoreplay.running.directory import RunDirectory
from evoreplay.running.snapshots import features, snapshot_positions, take_snapshot


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

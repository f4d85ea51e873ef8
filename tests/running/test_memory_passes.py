import torch
from torch import nn

from evoreplay import ReplayLearner, ReservoirMemory
from evoreplay.running.memory_passes import (
    Placed,
    evaluated_features,
    evaluated_logits,
    placed,
)


def make_learner(space=None):
    torch.manual_seed(0)
    layers = [nn.Linear(3, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 2)]
    model = nn.Sequential(*layers)
    for norm in (layer for layer in layers if isinstance(layer, nn.BatchNorm1d)):
        nn.init.normal_(norm.running_mean)
        nn.init.uniform_(norm.running_var, 0.5, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return ReplayLearner(model, optimizer, memory=ReservoirMemory(8), space=space)


def by_hand(model, x):
    """Eval mode written out: running statistics of the one norm."""
    first, norm, _, last = model
    z = (first(x) - norm.running_mean) / (norm.running_var + norm.eps).sqrt()
    features = z.clamp(min=0)
    return features.detach(), (features @ last.weight.T + last.bias).detach()


def test_bytes_are_scaled_and_what_was_written_is_added():
    learner = make_learner()
    x = torch.randint(0, 256, (7, 3), dtype=torch.uint8)
    delta = torch.randn(7, 3)
    features, logits = by_hand(learner.model, x / 127.5 - 1 + delta)
    parts = list(placed(learner, x, delta, chunk=3))
    assert [len(part.inputs) for part in parts] == [3, 3, 1]
    torch.testing.assert_close(evaluated_logits(learner, parts), logits)
    torch.testing.assert_close(evaluated_features(learner, parts), features)


def test_what_was_written_to_a_layer_is_added_there():
    learner = make_learner(space="1")
    x, delta = torch.randn(7, 3), torch.randn(7, 5)
    first, norm = learner.model[:2]
    z = (first(x) - norm.running_mean) / (norm.running_var + norm.eps).sqrt() + delta
    expected = z.clamp(min=0).detach()
    found = evaluated_features(learner, placed(learner, x, delta, chunk=4))
    torch.testing.assert_close(found, expected)


def test_the_network_is_as_before():
    learner = make_learner()
    learner.model.train()
    before = {name: value.clone() for name, value in learner.model.state_dict().items()}
    evaluated_features(learner, [Placed(torch.randn(4, 3))])
    assert learner.model.training
    assert not learner.model[3]._forward_hooks
    assert all(torch.equal(before[n], v) for n, v in learner.model.state_dict().items())

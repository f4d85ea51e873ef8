import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import FineTuningLearner


def test_fine_tuning_is_sgd_on_the_stream_alone():
    torch.manual_seed(0)
    model, by_hand = nn.Linear(3, 2), nn.Linear(3, 2)
    by_hand.load_state_dict(model.state_dict())
    learner = FineTuningLearner(model, torch.optim.SGD(model.parameters(), lr=0.5), updates=2)
    optimizer = torch.optim.SGD(by_hand.parameters(), lr=0.5)
    x, y = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
    step = learner.observe(x, y)
    for _ in range(2):
        optimizer.zero_grad()
        loss = cross_entropy(by_hand(x), y)
        loss.backward()
        optimizer.step()
    assert torch.equal(model.weight, by_hand.weight)
    assert step.stream_loss == loss.item()
    assert step.replay_loss is None

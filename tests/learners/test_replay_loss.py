import torch

from evoreplay import Batch
from evoreplay.learners.replay_loss import ReplayLoss


def batch_of(**changes):
    inputs, count = torch.full((3, 2), 1.0), torch.arange(3)
    return Batch(inputs, count, count, anchors=inputs, writes=count, **changes)


def test_companions_share_the_weight_of_what_evolves():
    loss = ReplayLoss(raw_weight=0.5, evolved_weight=3.0, evolves=True)
    assert loss.weights(None) == loss.weights(batch_of()) == {"raw": 0.5, "evolved": 3.0}
    assert loss.weights(batch_of(companions=torch.zeros(3, 2))) == {"raw": 2.0, "evolved": 1.5}


def test_with_a_flow_the_companions_are_the_raw_examples_and_without_one_all_are():
    companions, shift = torch.zeros(3, 2), torch.arange(15.0).reshape(3, 5)
    batch = batch_of(companions=companions, shift=shift)
    term = ReplayLoss(0.0, 1.0, evolves=True).raw_term(batch)
    assert (term.weight, term.labels.tolist()) == (0.5, [0, 1, 2])
    assert torch.equal(term.inputs, companions)
    assert torch.equal(term.shift, shift)
    term = ReplayLoss(1.0, 0.0, evolves=False).raw_term(batch)
    assert (term.weight, term.labels.tolist()) == (1.0, [0, 1, 2, 0, 1, 2])
    assert term.inputs.mean(1).tolist() == [0, 0, 0, 1, 1, 1]
    assert term.shift[:, 0].tolist() == [0, 5, 10, 0, 5, 10]


def test_without_companions_the_raw_examples_are_the_batch_itself():
    batch = batch_of()
    for evolves in (True, False):
        term = ReplayLoss(0.25, 1.0, evolves=evolves).raw_term(batch)
        assert term.inputs is batch.inputs
        assert (term.weight, term.shift) == (0.25, None)

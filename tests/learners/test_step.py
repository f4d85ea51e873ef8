import torch

from evoreplay.learners.step import Outcome, step_report


def test_a_report_has_the_weighted_replay_loss_and_both_sides_of_evolution():
    losses = {
        name: torch.tensor(v) for name, v in (("stream", 1.0), ("raw", 2.0), ("evolved", 4.0))
    }
    step = step_report(losses, {"raw": 0.5, "evolved": 2.0}, Outcome(0.1, 0.9))
    assert (step.stream_loss, step.replay_loss) == (1.0, 9.0)
    assert (step.loss_before, step.loss_after) == (2.0, 4.0)
    assert (step.moved, step.aligned) == (0.1, 0.9)


def test_without_replay_there_is_no_replay_loss():
    step = step_report({"stream": torch.tensor(1.0)}, {"raw": 1.0}, Outcome())
    assert step.replay_loss is None
    assert step.loss_after is None

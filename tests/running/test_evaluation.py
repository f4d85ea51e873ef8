import signal

import pytest
import torch

from evoreplay import Config
from evoreplay.running.evaluation import Evaluator, evenly
from evoreplay.running.interruption import Interrupted, StopRequest
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import prepare_experiment


class Oracle:
    """Knows the labels of the classes it was told."""

    def __init__(self, experiment, known):
        self.x, self.y, self.known = experiment.dataset.train_x, experiment.dataset.train_y, known

    def predict(self, x):
        found = [(self.x == one).flatten(1).all(dim=1).nonzero()[0, 0] for one in x]
        labels = self.y[torch.stack(found)]
        return torch.where(torch.isin(labels, torch.tensor(self.known)), labels, -1)


@pytest.fixture(scope="module")
def experiment():
    return prepare_experiment(resolved(Config()))


def test_the_matrix_has_nothing_before_a_segment_was_seen(experiment):
    evaluator = Evaluator(experiment, StopRequest())
    for number, end in enumerate(experiment.stream.segment_ends):
        evaluator.saw(torch.tensor([2 * number, 2 * number + 1]))
        evaluator.measure(Oracle(experiment, [0, 1, 2 * number, 2 * number + 1]), end)
    summary = evaluator.summary(Oracle(experiment, [0, 1, 8, 9]))
    matrix = summary["accuracy_matrix"]
    assert matrix[0] == [1.0] * 5
    assert matrix[2] == [None, None, 1.0, 0.0, 0.0]
    assert summary["final_accuracy"] == pytest.approx(0.4)
    assert summary["forgetting"] == pytest.approx(3 / 4)
    assert summary["per_class_accuracy"]["0"] == 1.0
    assert summary["per_class_accuracy"]["5"] == 0.0


def test_anytime_accuracy_is_over_the_classes_seen_so_far(experiment):
    evaluator = Evaluator(experiment, StopRequest())
    evaluator.saw(torch.tensor([0, 1, 2, 3]))
    evaluator.measure(Oracle(experiment, [0, 1, 2, 3]), experiment.stream.segment_ends[-1])
    assert evaluator.done.anytime[-1]["accuracy"] == 1.0


def test_measuring_the_same_position_twice_counts_once(experiment):
    evaluator = Evaluator(experiment, StopRequest())
    evaluator.saw(torch.tensor([0, 1]))
    end = experiment.stream.segment_ends[0]
    oracle = Oracle(experiment, [0, 1])
    assert evaluator.measure(oracle, end)
    again = Evaluator(experiment, StopRequest(), evaluator.state())
    assert again.measure(oracle, end) == {}
    assert len(again.done.matrix[0]) == 1


def test_an_interrupted_measurement_leaves_nothing_half_done(experiment):
    stop = StopRequest()
    evaluator = Evaluator(experiment, stop)
    evaluator.saw(torch.tensor([0, 1]))
    stop(signal.SIGTERM, None)
    with pytest.raises(Interrupted):
        evaluator.measure(Oracle(experiment, [0]), experiment.stream.segment_ends[0])
    assert evaluator.done.matrix == [[], [], [], [], []]
    assert evaluator.done.anytime == []


def test_nothing_to_measure_is_nothing_and_no_number(experiment):
    evaluator = Evaluator(experiment, StopRequest())
    evaluator.measure(Oracle(experiment, [0]), experiment.stream.segment_ends[-1])
    assert evaluator.done.anytime[-1]["accuracy"] is None


def test_evenly_spaced_examples_are_few_and_different():
    chosen = evenly(torch.arange(10_000), 500)
    assert len(chosen.unique()) == 500
    assert torch.equal(evenly(torch.arange(30), 500), torch.arange(30))

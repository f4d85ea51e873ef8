import signal

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from evoreplay import Config, FineTuningLearner, ReplayLearner, ReservoirMemory, run
from evoreplay.running.evaluation import Evaluator, memory_loss
from evoreplay.running.events import read_events
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


def remembering(slots=300):
    """A learner whose memory is full of examples of two classes."""
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    memory = ReservoirMemory(slots)
    learner = ReplayLearner(model, torch.optim.SGD(model.parameters(), lr=0.1), memory=memory)
    for _ in range(slots // 10):
        x = torch.randn(10, 3)
        learner.observe(x, (x[:, 0] > 0).long())
    return learner


def test_the_loss_of_the_memory_is_over_200_of_its_examples_with_what_was_written_to_them():
    learner = remembering()
    learner.memory.write(torch.arange(300), torch.randn(300, 3))
    slots = torch.tensor([round(n * 299 / 199) for n in range(200)])
    held = learner.memory.gather(slots)
    scores = ((held.x + held.delta) @ learner.model.weight.T + learner.model.bias).detach()
    probabilities = scores.softmax(dim=1)[torch.arange(200), held.y]
    found = memory_loss(learner)
    assert found["loss"] == pytest.approx(float(-probabilities.log().mean()), rel=1e-5)
    right = (scores[:, 1] > scores[:, 0]).long() == held.y
    assert found["accuracy"] == pytest.approx(float(right.double().mean()))
    assert 0 < found["accuracy"] < 1


def test_a_memory_that_is_empty_missing_or_lost_has_no_loss(experiment):
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    assert memory_loss(ReplayLearner(model, optimizer, memory=ReservoirMemory(5))) is None
    assert memory_loss(FineTuningLearner(model, optimizer)) is None
    learner = remembering(10)
    with torch.no_grad():
        learner.model.weight.fill_(float("inf"))
    assert memory_loss(learner)["loss"] is None


def test_a_run_records_the_loss_of_its_memory_at_every_anytime_moment(tmp_path):
    outcome = run(Config(method="er", scale=0.2, memory_size=20), out=tmp_path)
    found = outcome.result["memory_loss"]
    batches = [moment["batch"] for moment in outcome.result["anytime_accuracy"]]
    assert [moment["batch"] for moment in found] == batches
    # the end of the run is what its files hold
    weights = load_file(outcome.path / "model.safetensors")
    memory = load_file(outcome.path / "memory.safetensors")
    z = memory["x"].flatten(1).double() / 127.5 - 1
    for name in ("hidden.0.0", "hidden.1.0", "head"):
        z = z.clamp(min=0) if name != "hidden.0.0" else z
        z = z @ weights[f"{name}.weight"].double().T + weights[f"{name}.bias"].double()
    probability = z.softmax(dim=1)[torch.arange(20), memory["y"]]
    assert found[-1]["loss"] == pytest.approx(float(-probability.log().mean()), rel=1e-4)
    told = [e for e in read_events(outcome.path / "events.jsonl") if e["event"] == "measured"]
    assert told[-1]["memory"] == {name: found[-1][name] for name in ("loss", "accuracy")}

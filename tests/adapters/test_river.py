import subprocess
import sys

import numpy as np
import pandas
import pytest
import torch
from river import base, compose, datasets, evaluate, metrics, preprocessing, stream

import evoreplay as ev
from evoreplay.adapters.river import RiverClassifier
from evoreplay.checks import same
from evoreplay.random_state import seeded_random_state

SEGMENTS = list(datasets.ImageSegments().take(300))
CLASSES = sorted({y for _, y in SEGMENTS})
NAMES = list(SEGMENTS[0][0])


def make_learner(scale=100):
    with seeded_random_state(0, torch.device("cpu")):
        model = ev.MLP(inputs=18, classes=7, hidden=(30,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    # the features are in their hundreds
    return ev.ReplayLearner(
        model, optimizer, memory=ev.ReservoirMemory(50), prepare=lambda x: x / scale
    )


def row(x):
    return torch.tensor([[x[name] for name in NAMES]], dtype=torch.float32)


def test_progressive_validation_of_river_gives_the_accuracy_of_the_learner_by_itself():
    classifier = RiverClassifier(make_learner, classes=CLASSES)
    metric = evaluate.progressive_val_score(SEGMENTS[:150], classifier, metrics.Accuracy())
    learner, right = make_learner(), 0
    for x, y in SEGMENTS[:150]:
        place = CLASSES.index(y)
        right += int(learner.predict(row(x))) == place
        learner.observe(row(x), torch.tensor([place]))
    assert metric.get() == right / 150 > 0.3
    assert same(classifier.learner.state_dict(), learner.state_dict())


def test_batches_of_a_frame_give_the_accuracy_of_the_learner_by_itself():
    classifier, learner = RiverClassifier(make_learner, CLASSES), make_learner()
    metric, right = metrics.Accuracy(), 0
    frame = pandas.DataFrame([x for x, _ in SEGMENTS])
    labels = pandas.Series([y for _, y in SEGMENTS])
    for start in range(0, len(frame), 4):
        x, y = frame[start : start + 4], labels[start : start + 4]
        for truth, guess in zip(y, classifier.predict_many(x), strict=True):
            metric.update(truth, guess)
        classifier.learn_many(x, y)
        inputs = torch.tensor(x.to_numpy(), dtype=torch.float32)
        places = torch.tensor([CLASSES.index(label) for label in y])
        right += int((learner.predict(inputs) == places).sum())
        learner.observe(inputs, places)
    assert metric.get() == right / len(SEGMENTS) > 0.3
    assert same(classifier.learner.state_dict(), learner.state_dict())


def test_ev_prequential_and_river_agree():
    classifier = RiverClassifier(make_learner, CLASSES)
    metric = evaluate.progressive_val_score(SEGMENTS[:60], classifier, metrics.Accuracy())
    own = [(row(x), torch.tensor([CLASSES.index(y)])) for x, y in SEGMENTS[:60]]
    *_, last = ev.prequential(make_learner(), own)
    assert metric.get() == last.overall_accuracy


def test_labels_that_are_not_known_beforehand_come_in_their_order():
    classifier = RiverClassifier(make_learner)
    assert classifier.predict_one(SEGMENTS[0][0]) is None
    assert classifier.predict_many(pandas.DataFrame([SEGMENTS[0][0]])).empty
    seen = []
    for x, y in SEGMENTS[:30]:
        classifier.learn_one(x, y)
        seen += [] if y in seen else [y]
        assert list(classifier.predict_proba_one(x)) == seen
        assert classifier.predict_one(x) in seen
    assert sum(classifier.predict_proba_one(SEGMENTS[0][0]).values()) == pytest.approx(1)


def test_many_are_predicted_as_one_by_one_and_keep_their_index():
    classifier = RiverClassifier(make_learner)
    for x, y in SEGMENTS[:100]:
        classifier.learn_one(x, y)
    frame = pandas.DataFrame([x for x, _ in SEGMENTS[:50]], index=range(900, 950))
    found = classifier.predict_many(frame[NAMES[::-1]])
    assert found.index.tolist() == list(range(900, 950))
    assert found.tolist() == [classifier.predict_one(x) for x, _ in SEGMENTS[:50]]
    table = classifier.predict_proba_many(frame)
    one = classifier.predict_proba_one(SEGMENTS[7][0])
    assert table.loc[907].to_dict() == pytest.approx(one, abs=1e-6)
    assert classifier.predict_proba_many(frame[:0]).shape == (0, len(table.columns))


def test_it_stands_behind_a_scaler_of_river_and_reads_its_streams():
    classifier = RiverClassifier(lambda: make_learner(scale=1))
    pipeline = compose.Pipeline(preprocessing.StandardScaler(), classifier)
    turns = np.eye(18)[[n % 2 for n in range(100)]]
    source = stream.iter_array(turns, ["no", "yes"] * 50)
    metric = evaluate.progressive_val_score(source, pipeline, metrics.Accuracy())
    assert metric.get() > 0.8


def test_it_is_a_classifier_of_river_that_can_be_cloned_without_what_it_learned():
    classifier = RiverClassifier(make_learner, classes=("a", "b"))
    classifier.learn_one(SEGMENTS[0][0], "c")
    copy = classifier.clone()
    assert isinstance(copy, base.MiniBatchClassifier)
    assert list(copy.predict_proba_one(SEGMENTS[0][0])) == ["a", "b"]
    assert copy.learner is not classifier.learner
    assert copy.learner.steps == 0


def test_a_learner_that_is_there_already_can_be_wrapped():
    learner = make_learner()
    classifier = RiverClassifier(lambda: learner)
    classifier.learn_one(*SEGMENTS[0])
    assert learner.steps == 1


def test_other_features_and_too_many_labels_are_refused_and_leave_no_label():
    classifier = RiverClassifier(make_learner, classes=range(7))
    classifier.learn_one(SEGMENTS[0][0], 0)
    with pytest.raises(ev.UserError, match="a stream keeps to one kind"):
        classifier.learn_one({"height": 1.0}, 0)
    with pytest.raises(ev.UserError, match="label 7 is outside the model's 7 classes"):
        classifier.learn_one(SEGMENTS[0][0], "one more")
    assert list(classifier.predict_proba_one(SEGMENTS[0][0])) == list(range(7))


def test_nobody_waits_for_packages_that_are_not_used_and_without_river_the_message_says_how():
    code = """
import sys, evoreplay, evoreplay.adapters
print({'river', 'pandas', 'sklearn', 'matplotlib'} & set(sys.modules))
sys.modules['river'] = None
import evoreplay.adapters.river
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "set()"
    assert "pip install 'evoreplay[river]'" in found.stderr

import warnings

import numpy as np
import pytest
import torch
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from torch import nn

import evoreplay as ev
from evoreplay.adapters.scikit_learn import ScikitLearnClassifier
from evoreplay.checks import same
from evoreplay.random_state import seeded_random_state

DIGITS = load_digits()


def make_learner(model=None):
    with seeded_random_state(0, torch.device("cpu")):
        model = model or ev.MLP(inputs=64, classes=10, hidden=(50,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return ev.ReplayLearner(
        model, optimizer, memory=ev.ReservoirMemory(100), evolution=ev.Langevin(steps=1, rate=1e-4)
    )


def stream(size=20, count=40):
    """Digits in the order of their classes, so that something can be forgotten."""
    order = np.argsort(DIGITS.target[: size * count], kind="stable")
    for chosen in order.reshape(count, size):
        yield DIGITS.data[chosen] / 16, DIGITS.target[chosen]


def test_it_learns_and_predicts_exactly_as_the_learner_by_itself():
    classifier, learner = ScikitLearnClassifier(make_learner), make_learner()
    for x, y in stream(5, 160):
        classifier.partial_fit(x, y, classes=range(10))
        learner.observe(torch.tensor(x, dtype=torch.float32), torch.tensor(y))
    x, y = DIGITS.data[800:] / 16, DIGITS.target[800:]
    inputs = torch.tensor(x, dtype=torch.float32)
    direct = float((learner.predict(inputs) == torch.tensor(y)).double().mean())
    assert same(classifier.learner_.state_dict(), learner.state_dict())
    assert classifier.score(x, y) == accuracy_score(y, classifier.predict(x)) == direct > 0.5
    assert np.array_equal(classifier.predict(x), learner.predict(inputs).numpy())
    np.testing.assert_allclose(
        classifier.predict_proba(x), learner.predict_proba(inputs).numpy(), atol=1e-6
    )


def test_labels_of_any_kind_come_back_and_columns_are_sorted():
    words = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "9"])
    named, numbered = (ScikitLearnClassifier(make_learner) for _ in range(2))
    for x, y in stream():
        named.partial_fit(x, words[y])
        numbered.partial_fit(x, y)
    x = DIGITS.data[800:] / 16
    assert named.classes_.tolist() == sorted(words)
    # the digits come in the order 0, 1, ..., and so do the outputs of both
    assert np.array_equal(named.predict(x), words[numbered.predict(x)])
    columns = [int(np.flatnonzero(words == name)[0]) for name in named.classes_]
    assert np.array_equal(named.predict_proba(x), numbered.predict_proba(x)[:, columns])


def test_outputs_without_a_label_are_never_predicted():
    classifier = ScikitLearnClassifier(make_learner)
    x, y = next(stream())
    classifier.partial_fit(x, y)
    assert classifier.classes_.tolist() == sorted(set(y.tolist())) == [0]
    assert classifier.predict_proba(DIGITS.data).shape == (1797, 1)
    assert set(classifier.predict(DIGITS.data)) == {0}
    x, y = list(stream())[20]
    classifier.partial_fit(x, y)
    found = classifier.predict_proba(DIGITS.data)
    assert found.shape[1] == len(classifier.classes_) == 1 + len(set(y.tolist()))
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_it_is_a_classifier_that_can_be_cloned_without_what_it_learned():
    classifier = ScikitLearnClassifier(make_learner, batch_size=7)
    classifier.partial_fit(*next(stream()))
    copy = clone(classifier)
    assert is_classifier(copy)
    assert copy.get_params() == {"make_learner": make_learner, "batch_size": 7}
    with pytest.raises(NotFittedError):
        copy.predict(DIGITS.data)


def test_fit_is_one_pass_in_order_and_begins_anew():
    x, y = DIGITS.data[:95] / 16, DIGITS.target[:95]
    classifier = ScikitLearnClassifier(make_learner).fit(x, y).fit(x, y)
    learner = make_learner()
    for start in range(0, 95, 10):
        part = torch.tensor(x[start : start + 10], dtype=torch.float32)
        learner.observe(part, torch.tensor(y[start : start + 10]))
    assert same(classifier.learner_.state_dict(), learner.state_dict())


def test_it_stands_in_a_pipeline_and_behind_a_scaler_that_learns_along():
    x, y = DIGITS.data[:600], DIGITS.target[:600]
    pipeline = make_pipeline(StandardScaler(), ScikitLearnClassifier(make_learner))
    assert cross_val_score(pipeline, x, y, cv=2).min() > 0.6
    scaler, classifier = StandardScaler(), ScikitLearnClassifier(make_learner)
    for start in range(0, 600, 20):
        part = slice(start, start + 20)
        scaler.partial_fit(x[part])
        classifier.partial_fit(scaler.transform(x[part]), y[part], classes=range(10))
    assert classifier.score(scaler.transform(DIGITS.data[600:]), DIGITS.target[600:]) > 0.6


def test_bytes_stay_bytes_and_images_keep_their_shape():
    classifier = ScikitLearnClassifier(make_learner)
    images = (DIGITS.images * 15).astype(np.uint8)[:, None]
    classifier.partial_fit(images[:20], DIGITS.target[:20])
    held = classifier.learner_.memory.gather(torch.arange(20))
    assert held.x.dtype == torch.uint8
    assert held.x.shape == (20, 1, 8, 8)
    assert classifier.predict(images[:3]).shape == (3,)


def test_a_refused_batch_leaves_no_label_behind():
    classifier = ScikitLearnClassifier(make_learner)
    x = DIGITS.data[:12]
    with pytest.raises(ev.UserError, match="label 11 is outside the model's 10 classes"):
        classifier.partial_fit(x, np.arange(12))
    with pytest.raises(NotFittedError):
        classifier.predict(x)
    classifier.partial_fit(x, np.arange(12) % 3, classes=[3, 2, 1, 0])
    assert classifier.classes_.tolist() == [0, 1, 2, 3]
    with pytest.raises(ev.UserError, match="label 15 is outside the model's 10 classes"):
        classifier.partial_fit(x, np.arange(12) + 4)
    assert classifier.classes_.tolist() == [0, 1, 2, 3]
    with pytest.raises(ev.UserError, match="batch_size is 0"):
        ScikitLearnClassifier(make_learner, batch_size=0).fit(x, DIGITS.target[:12])


class AnyWidth(nn.Module):
    """Scikit-learn's checks bring data of many widths, and compare to the last digit."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(30, elementwise_affine=False)
        self.linear = nn.Linear(30, 10, dtype=torch.float64)

    def forward(self, x):
        padded = nn.functional.pad(x.double(), (0, 30 - x.shape[1]))
        return self.linear(self.norm(padded))


def make_wide():
    with seeded_random_state(0, torch.device("cpu")):
        model = AnyWidth()
    return make_learner(model)


@pytest.mark.slow
def test_it_passes_the_checks_of_scikit_learn():
    with warnings.catch_warnings(action="ignore", category=SkipTestWarning):
        found = check_estimator(ScikitLearnClassifier(make_wide, batch_size=4), on_fail=None)
    status = {check["check_name"]: check["status"] for check in found}
    assert len(status) > 45
    assert {name for name, how in status.items() if how == "failed"} == set()
    assert sum(how == "passed" for how in status.values()) >= len(status) - 1

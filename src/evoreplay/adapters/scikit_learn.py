"""A learner as a scikit-learn classifier: `partial_fit`, `predict`, `predict_proba`, `score`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from evoreplay.adapters.labels import Labels, as_inputs, probabilities
from evoreplay.errors import require
from evoreplay.learners import Learner


class ScikitLearnClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Numpy in and out, labels of any kind; one `partial_fit` is one `observe`.

    Parameters
    ----------
    make_learner
        A function without arguments that gives a new learner; `clone` copies the function, never
        what was learned. `lambda: learner` wraps a learner that is there already.
    batch_size
        Examples for each `observe` of `fit`, which begins anew and goes through X once, in order.

    Attributes
    ----------
    classes_
        All labels known so far, sorted; the columns of `predict_proba`.
    learner_
        The learner itself.

    """

    def __init__(self, make_learner: Callable[[], Learner], *, batch_size: int = 10) -> None:
        self.make_learner = make_learner
        self.batch_size = batch_size

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Begin anew and learn the rows once, in their order."""
        require(
            isinstance(self.batch_size, int) and self.batch_size >= 1,
            f"batch_size is {self.batch_size!r}; give a whole number, 1 or more",
        )
        X, y = _checked(X, y)  # noqa: N806
        self._begin(np.unique(y))
        for start in range(0, len(X), self.batch_size):
            self._observe(X[start : start + self.batch_size], y[start : start + self.batch_size])
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:  # noqa: N803
        """Learn one batch of the stream.

        With `classes` in the first call the outputs of the model stand for them in sorted order;
        without, each label that is new gets the next free output.
        """
        X, y = _checked(X, y)  # noqa: N806
        if not hasattr(self, "n_features_in_"):
            self._begin(() if classes is None else np.unique(classes))
        self._observe(X, y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        """One column for each of `classes_`; outputs that have no label yet are left out."""
        check_is_fitted(self, "n_features_in_")
        X = check_array(X, allow_nd=True, dtype="numeric")  # noqa: N806
        self._require_width(X)
        found = probabilities(self.learner_, as_inputs(X), len(self._labels)).numpy()
        return found[:, np.argsort(np.array(self._labels.values), kind="stable")]

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """The most probable label of each row."""
        places = self.predict_proba(X).argmax(axis=1)
        chosen: np.ndarray = self.classes_[places]
        return chosen

    def _begin(self, classes: Any) -> None:
        self.learner_ = self.make_learner()
        self.__dict__.pop("n_features_in_", None)
        self._know(Labels().extended(np.asarray(classes).tolist()))

    def _observe(self, X: np.ndarray, y: np.ndarray) -> None:  # noqa: N803
        self._require_width(X)
        labels = self._labels.extended(y.tolist())
        x, indices = self.learner_.checked(as_inputs(X), labels.indices(y.tolist()))
        # only now: a refused batch leaves no new label behind, and a refused first one nothing
        self._know(labels)
        self.n_features_in_ = X.shape[1]
        self.learner_.observe(x, indices)

    def _require_width(self, X: np.ndarray) -> None:  # noqa: N803
        known = getattr(self, "n_features_in_", X.shape[1])
        require(
            X.shape[1] == known,
            f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {known} features "
            "as input; a stream keeps to one kind",
        )

    def _know(self, labels: Labels) -> None:
        self._labels = labels
        self.classes_ = np.unique(np.array(labels.values))


def _checked(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    """As arrays of numbers and of labels, or scikit-learn's own words on what is wrong."""
    X, y = check_X_y(X, y, allow_nd=True, dtype="numeric")  # noqa: N806
    check_classification_targets(y)
    return X, y

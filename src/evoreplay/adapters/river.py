"""A learner as a River classifier: `learn_many`, `predict_many`, and one example at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evoreplay.adapters.labels import Labels, as_inputs, probabilities
from evoreplay.errors import require
from evoreplay.learners import Learner

try:
    from river.base import MiniBatchClassifier
except ImportError as error:
    raise ImportError(
        "this adapter needs a package that is not installed; "
        "get it with: pip install 'evoreplay[river]'"
    ) from error

if TYPE_CHECKING:
    import pandas


class RiverClassifier(MiniBatchClassifier):  # type: ignore[misc]
    """Dictionaries or DataFrames in, labels of any kind; each `learn_*` is one `observe`.

    Parameters
    ----------
    make_learner
        A function without arguments that gives a new learner; `clone` copies the function, never
        what was learned. `lambda: learner` wraps a learner that is there already.
    classes
        Labels in the order of the model's outputs, as far as they are known beforehand; one that
        is new gets the next free output.

    """

    def __init__(
        self, make_learner: Callable[[], Learner], classes: Sequence[Hashable] = ()
    ) -> None:
        self.make_learner = make_learner
        self.classes = classes
        self._labels = Labels().extended(classes)
        self._features: list[Any] | None = None
        self._learner: Learner | None = None

    @property
    def learner(self) -> Learner:
        """The learner itself, made when it is first asked for."""
        if self._learner is None:
            self._learner = self.make_learner()
        return self._learner

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_many(self, X: pandas.DataFrame, y: pandas.Series) -> None:  # noqa: N803
        """Learn one batch of the stream; the columns of the first give the order of the inputs."""
        self._learn(self._columns(X), y.tolist())

    def learn_one(self, x: Mapping[Any, Any], y: Hashable) -> None:
        """Learn a batch of one example."""
        self._learn(self._row(x), [y])

    def predict_proba_many(self, X: pandas.DataFrame) -> pandas.DataFrame:  # noqa: N803
        """A column for each label known so far."""
        import pandas

        rows = self._probabilities(self._columns(X)) if len(X) > 0 else None
        return pandas.DataFrame(rows, index=X.index, columns=list(self._labels.values))

    def predict_proba_one(self, x: Mapping[Any, Any], **others: Any) -> dict[Hashable, float]:
        """Of each label known so far; nothing before there is one."""
        (row,) = self._probabilities(self._row(x)).tolist()
        return dict(zip(self._labels.values, row, strict=True))

    def _learn(self, x: np.ndarray, y: Sequence[Hashable]) -> None:
        labels = self._labels.extended(y)
        inputs, indices = self.learner.checked(as_inputs(x), labels.indices(y))
        # only now: a refused batch leaves no new label behind
        self._labels = labels
        self.learner.observe(inputs, indices)

    def _probabilities(self, x: np.ndarray) -> np.ndarray:
        if len(self._labels) == 0:
            return np.zeros((len(x), 0))
        return probabilities(self.learner, as_inputs(x), len(self._labels)).numpy()

    def _columns(self, X: pandas.DataFrame) -> np.ndarray:  # noqa: N803
        values: np.ndarray = X[self._names(X.columns)].to_numpy()
        return values

    def _row(self, x: Mapping[Any, Any]) -> np.ndarray:
        return np.array([[x[name] for name in self._names(x)]])

    def _names(self, given: Any) -> list[Any]:
        """Features in the order of the inputs, which the first example decides."""
        names = list(given)
        if self._features is None:
            self._features = names
        require(
            set(names) == set(self._features),
            f"an example with the features {sorted(map(str, names))} came after one with "
            f"{sorted(map(str, self._features))}; a stream keeps to one kind",
        )
        return self._features

r"""Prequential evaluation: every example is first a test, then a lesson.

With c_n = 1 if example n of the stream was predicted right before the learner saw its label, 0 if
not, the accuracy after n examples and that of the last w of them are

    overall(n) = 1/n  sum_{i=1..n} c_i ,      window(n) = 1/min(w, n)  sum_{i=n-w+1..n} c_i .

No example has to be held out and none is tested twice. The examples of one batch are predicted
together, before any of them is learned.

Reference: Gama, Sebastiao and Rodrigues, "On evaluating stream learning algorithms", 2013.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from evoreplay.errors import require
from evoreplay.learners import Learner, Step
from evoreplay.streaming.progress import StreamProgress, length_of
from evoreplay.streams.from_iterable import as_batch


class PrequentialStep(NamedTuple):
    """One batch of the stream, tested and then learned."""

    batch: int
    """How many batches were taken from the stream, this one and empty ones included."""
    examples: int
    """How many examples were tested so far."""
    accuracy: float
    """Of this batch."""
    window_accuracy: float
    """Of the last `window` examples, or of all if there were fewer."""
    overall_accuracy: float
    """Of all examples so far."""
    step: Step
    """What `observe` reported."""


class Tally:
    """Right and wrong predictions: how many in all, and among the last `window`."""

    def __init__(self, window: int) -> None:
        self._recent: deque[bool] = deque(maxlen=window)
        self._recent_right = self._right = self.examples = 0

    def add(self, right: bool) -> None:
        """One more prediction; the oldest leaves a window that is full."""
        if len(self._recent) == self._recent.maxlen:
            self._recent_right -= self._recent[0]
        self._recent.append(right)
        self._recent_right += right
        self._right += right
        self.examples += 1

    @property
    def overall(self) -> float:
        """The share of right ones."""
        return self._right / self.examples

    @property
    def recent(self) -> float:
        """The same in the window."""
        return self._recent_right / len(self._recent)


def prequential(
    learner: Learner, stream: Iterable[Any], *, window: int = 1000, progress: bool = False
) -> Iterator[PrequentialStep]:
    """Test the learner on each batch of `stream`, then let it learn the batch.

    Nothing happens until the next item is asked for, and memory does not grow with the stream, so
    it may never end. An empty batch is counted and passed over.

    Parameters
    ----------
    learner
        Any learner; it is changed by what it learns.
    stream
        Anything that yields pairs of examples and labels.
    window
        So many examples back reaches `window_accuracy`.
    progress
        Show on standard error where the stream is: a bar, or plain lines without a terminal.

    """
    require(
        isinstance(window, int) and window >= 1,
        f"window is {window!r}; give a whole number of examples, 1 or more",
    )
    # here and not in the generator, so that a wrong window is told at once
    return _tested_then_learned(learner, stream, Tally(window), progress)


def _tested_then_learned(
    learner: Learner, stream: Iterable[Any], tally: Tally, progress: bool
) -> Iterator[PrequentialStep]:
    with StreamProgress(length_of(stream), shown=progress) as display:
        for number, item in enumerate(stream):
            x, y = as_batch(item, number)
            if y.numel() == 0 and len(x) == 0:
                continue
            # before the prediction, because the message of a check is clearer than torch's
            x, y = learner.checked(x, y)
            right = (learner.predict(x) == y.cpu()).tolist()
            for one in right:
                tally.add(one)
            step = learner.observe(x, y)
            display(number + 1, tally.recent)
            yield PrequentialStep(
                batch=number + 1,
                examples=tally.examples,
                accuracy=sum(right) / len(right),
                window_accuracy=tally.recent,
                overall_accuracy=tally.overall,
                step=step,
            )

"""Labels of any kind as the outputs of a head, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from evoreplay.learners import Learner


@dataclass(frozen=True)
class Labels:
    """Label values in the order of their outputs; one that is new gets the next free output."""

    values: tuple[Hashable, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    def extended(self, labels: Iterable[Hashable]) -> Labels:
        """With what is new among `labels`, in the order in which it comes."""
        return Labels(tuple(dict.fromkeys((*self.values, *labels))))

    def indices(self, labels: Sequence[Hashable]) -> Tensor:
        """The output of each."""
        places = {value: place for place, value in enumerate(self.values)}
        return torch.tensor([places[label] for label in labels], dtype=torch.int64)


def probabilities(learner: Learner, x: Tensor, known: int) -> Tensor:
    """Softmax over the first `known` outputs: those that no label has yet cannot be predicted.

    In float64, so that the largest is that of the largest logit.
    """
    return learner.logits(x)[:, :known].double().softmax(dim=1)


def as_inputs(x: np.ndarray) -> Tensor:
    """Numbers as networks take them: bytes stay bytes, all others become float32."""
    return torch.from_numpy(x.copy() if x.dtype == np.uint8 else x.astype(np.float32))

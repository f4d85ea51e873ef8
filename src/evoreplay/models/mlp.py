"""A multilayer perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn


class MLP(nn.Module):
    """Flatten, hidden layers with ReLU, one linear head over all classes."""

    def __init__(self, inputs: int, classes: int, hidden: Sequence[int] = (200, 200)) -> None:
        super().__init__()
        sizes = [inputs, *hidden]
        self.hidden = nn.Sequential()
        for before, after in pairwise(sizes):
            self.hidden.append(nn.Sequential(nn.Linear(before, after), nn.ReLU()))
        self.head = nn.Linear(sizes[-1], classes)

    def forward(self, x: Tensor) -> Tensor:
        """Batch to logits."""
        logits: Tensor = self.head(self.hidden(x.flatten(1)))
        return logits

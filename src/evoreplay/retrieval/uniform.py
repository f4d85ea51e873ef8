"""Uniform retrieval: every held example equally likely, none twice in a minibatch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.parts import Context, Memory, State


@dataclass(frozen=True)
class UniformRetrieval:
    """Draw `size` examples without replacement, or all if fewer are held."""

    size: int = 10
    """How many examples are replayed."""

    def __post_init__(self) -> None:
        require(
            isinstance(self.size, int) and self.size >= 1,
            f"retrieval size is {self.size!r}; give a whole number, 1 or more",
        )

    def select(self, memory: Memory, context: Context) -> Tensor:
        """Slots of the examples to replay."""
        return draw_without_replacement(len(memory), self.size, context.generator)

    def state_dict(self) -> State:
        """Nothing is kept."""
        return {}

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""


def draw_without_replacement(held: int, size: int, generator: torch.Generator) -> Tensor:
    """min(size, held) different numbers below `held`, all sets equally likely."""
    size = min(size, held)
    if 4 * size * size > held:
        return torch.randperm(held, generator=generator)[:size]
    # Few among many: draw until all differ (mostly at once), at a cost that does not depend on held
    while True:
        drawn = torch.randint(held, (size,), generator=generator)
        if len(drawn.unique()) == size:
            return drawn

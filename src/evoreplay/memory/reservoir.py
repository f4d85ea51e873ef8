r"""Reservoir memory: a uniform sample of all that went by.

Item n (from 1) enters with probability min(1, M / n) and takes the place of a uniformly drawn one,
so after n items each of them is held with probability M / n. No boundary, no task, no length of the
stream is needed, and the cost of an item does not depend on M.

Reference: Vitter, "Random Sampling with a Reservoir", 1985, algorithm R.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from evoreplay.memory.slots import Slots
from evoreplay.parts import Context, State
from evoreplay.random_state import named_generator


@dataclass
class ReservoirMemory(Slots):
    """A uniform sample of `capacity` examples of the stream so far."""

    seen: int = field(default=0, init=False)
    _own: torch.Generator = field(
        default_factory=lambda: named_generator(0, "memory"), init=False, repr=False
    )

    def add(self, x: Tensor, y: Tensor, context: Context | None = None) -> None:
        """Offer a batch; outside a learner the memory's own generator decides."""
        count = len(x)
        if count == 0:
            return
        generator = self._own if context is None else context.generator
        position = torch.arange(self.seen, self.seen + count)
        # item n draws a place in 0..n-1 and enters if the place is a slot; the first M just enter
        draw = torch.rand(count, generator=generator, dtype=torch.float64)
        place = (draw * (position + 1)).long()
        place = torch.where(position < self.capacity, position, place)
        self.seen += count
        entering = (place < self.capacity).nonzero().squeeze(1)
        # of two items of this batch for one slot the later stays, as if they came one by one
        latest_first = entering.flip(0)
        slots, first = np.unique(place[latest_first].numpy(), return_index=True)
        items = latest_first[torch.from_numpy(first)]
        self.put(torch.from_numpy(slots), x[items], y[items])

    def state_dict(self) -> State:
        """The slots, how many items went by, and the generator."""
        return super().state_dict() | {"seen": self.seen, "generator": self._own.get_state()}

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""
        super().load_state_dict(state)
        self.seen = state["seen"]
        self._own.set_state(state["generator"])

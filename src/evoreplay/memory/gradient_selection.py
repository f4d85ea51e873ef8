r"""GSS-Greedy: keep examples whose gradients point in many directions.

Each slot carries a score. Up to 10 disjoint minibatches of 10 are drawn from memory, with gradients
G_1 .. G_n (BatchNorm in eval mode); the score of an item is

    c = max_j cos( G_j, gradient of the item ),

1 for what memory already holds the like of, negative for what opposes all of it.

- While there is room an item is appended with its score (the very first batch gets 0.1).
- A full memory changes only if the score of the whole batch is negative. Then as many slots as
  items are drawn without replacement, with weights (s - min s) / (max s - min s + 0.01); slot r
  gives way to its item i with probability s' / (s' + c'), where s' = (s_r + 1) / 2 and
  c' = (c_i + 1) / 2, and takes over the item's score.

Reference: Aljundi et al., "Gradient based sample selection for online continual learning", NeurIPS
2019, greedy variant.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from evoreplay.errors import UserError
from evoreplay.memory.slots import Slots
from evoreplay.parts import Context, State

FIRST_SCORE = 0.1
SMALLEST_SPREAD = 0.01


@dataclass
class GradientSelectionMemory(Slots):
    """Examples of diverse gradients; needs the learner it is in."""

    minibatches: int = 10
    """Minibatches of memory that an item is compared with, at the most."""
    minibatch_size: int = 10
    """Examples in each of them."""
    _scores: Tensor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._scores = torch.zeros(self.capacity)

    @property
    def scores(self) -> Tensor:
        """Of all examples held."""
        return self._scores[: self.held]

    def add(self, x: Tensor, y: Tensor, context: Context | None = None) -> None:
        """Append what fits; let the rest compete."""
        if context is None:
            raise UserError(
                "GradientSelectionMemory compares gradients of a model; use it inside a learner"
            )
        room = self.capacity - self.held
        if room > 0 and len(x) > 0:
            self._append(x[:room], y[:room], context)
        if len(x) > room:
            self._compete(x[room:], y[room:], context)

    def _append(self, x: Tensor, y: Tensor, context: Context) -> None:
        if self.held == 0:
            scores = torch.full((len(x),), FIRST_SCORE)
        else:
            scores = self._item_scores(x, y, self._memory_gradients(context), context)
        slots = torch.arange(self.held, self.held + len(x))
        self.put(slots, x, y)
        self._scores[slots] = scores

    def _compete(self, x: Tensor, y: Tensor, context: Context) -> None:
        references = self._memory_gradients(context)
        if float(self._score(x, y, references, context)) >= 0:
            return
        weights = replacement_weights(self._scores)
        count = min(len(x), int((weights > 0).sum()))
        slots = torch.multinomial(weights, count, generator=context.generator)
        candidates = self._item_scores(x[:count], y[:count], references, context)
        chance = replacement_chance(self._scores[slots], candidates)
        taken = torch.rand(count, generator=context.generator) < chance
        self.put(slots[taken], x[:count][taken], y[:count][taken])
        self._scores[slots[taken]] = candidates[taken]

    def _memory_gradients(self, context: Context) -> Tensor:
        """G_1 .. G_n as rows."""
        size = min(self.minibatch_size, self.held)
        count = min(self.minibatches, self.held // size)
        drawn = torch.randperm(self.held, generator=context.generator)[: count * size]
        batches = [context.examples(part) for part in drawn.split(size)]
        return torch.stack([context.parameter_gradient(b.inputs, b.labels) for b in batches])

    def _score(self, x: Tensor, y: Tensor, references: Tensor, context: Context) -> Tensor:
        gradient = context.parameter_gradient(context.prepared(x), y.to(references.device))
        return cosine_similarity(references, gradient.unsqueeze(0)).max().cpu()

    def _item_scores(self, x: Tensor, y: Tensor, references: Tensor, context: Context) -> Tensor:
        items = range(len(x))
        scores = [self._score(x[i : i + 1], y[i : i + 1], references, context) for i in items]
        return torch.stack(scores)

    def state_dict(self) -> State:
        """The slots and their scores."""
        return super().state_dict() | {"scores": self.scores.clone()}

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""
        super().load_state_dict(state)
        self._scores[: self.held] = state["scores"]


def replacement_weights(scores: Tensor) -> Tensor:
    """How likely each slot is drawn to give way: the more redundant the likelier."""
    low, high = scores.min(), scores.max()
    if bool(low == high):
        return torch.ones_like(scores)
    return (scores - low) / (high - low + SMALLEST_SPREAD)


def replacement_chance(held: Tensor, candidate: Tensor) -> Tensor:
    """The chance s' / (s' + c') for scores in [-1, 1]; 0 where both are -1."""
    s, c = (held + 1) / 2, (candidate + 1) / 2
    total = s + c
    return torch.where(total > 0, s / total.clamp(min=1e-12), 0.0)

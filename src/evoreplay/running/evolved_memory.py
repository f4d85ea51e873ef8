"""Minibatches of the memory, evolved as in training, while the learner does not notice.

What evolves are the examples as memory holds them; a learner that augments evolves their augmented
copies in training.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from evoreplay.learners import ReplayLearner
from evoreplay.learners.passes import RawPass, term_of
from evoreplay.parts import Batch
from evoreplay.random_state import named_generator, named_seed, seeded_random_state
from evoreplay.traceless import traceless


class EvolvedMinibatch(NamedTuple):
    """A minibatch before and after evolution."""

    raw: Batch
    evolved: Batch
    loss_before: Tensor
    """Of each example; normalised by the minibatch, as in training."""
    loss_after: Tensor


class MemoryEvolution:
    """Evolves minibatches of a learner's memory, each from where the randomness of the last ended.

    The randomness is that of `seed` and `name`: nothing is drawn from the learner's generators, and
    nothing in the learner changes.
    """

    def __init__(self, learner: ReplayLearner, *, seed: int, name: str) -> None:
        self._learner = learner
        self._seed, self._name = seed, name
        self._count = 0
        self.generator = named_generator(seed, name)

    def of(self, slots: Tensor) -> EvolvedMinibatch:
        """What these slots hold and what evolution makes of it."""
        learner = self._learner
        evolving, batch = learner.evolving(), learner.examples(slots)
        assert evolving is not None
        # dropout draws from the global state
        dropout = named_seed(self._seed, f"{self._name} dropout {self._count}")
        self._count += 1
        with seeded_random_state(dropout, learner.device):
            evolved = evolving.evolved(batch, RawPass(), self.generator)
            with traceless(learner.model), torch.no_grad():
                logits = [learner.passes.logits(term_of(b)).float() for b in (batch, evolved)]
        losses = [cross_entropy(part, batch.labels, reduction="none").cpu() for part in logits]
        return EvolvedMinibatch(batch, evolved, *losses)

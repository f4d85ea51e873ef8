from dataclasses import dataclass

import pytest
import torch

from evoreplay import Langevin, ReplayLearner, ReservoirMemory, UniformRetrieval, UserError
from evoreplay.checks import check_flow, check_learner, check_memory, check_retrieval


def test_our_parts_pass_when_a_user_runs_all_checks_at_once():
    check_flow(lambda: Langevin(steps=2))
    check_memory(lambda: ReservoirMemory(10))
    check_retrieval(lambda: UniformRetrieval(3))
    check_learner(
        lambda model: ReplayLearner(
            model, torch.optim.SGD(model.parameters(), lr=0.1), memory=ReservoirMemory(10)
        )
    )


@dataclass(frozen=True, kw_only=True)
class InPlace(Langevin):
    def move(self, x, energy_gradient, generator):
        return x.add_(1)


@dataclass(frozen=True, kw_only=True)
class GlobalNoise(Langevin):
    def move(self, x, energy_gradient, generator):
        return x + torch.randn_like(x)


class Overfull(ReservoirMemory):
    def __len__(self):
        return self.capacity + 1


class Repeating(UniformRetrieval):
    def select(self, memory, context):
        return torch.zeros(2, dtype=torch.int64)


class Forgetful(ReservoirMemory):
    def load_state_dict(self, state):
        super().load_state_dict(state | {"seen": 0})


class Peeking(ReplayLearner):
    def logits(self, x, **options):
        self.model.train()
        self.model(self._prepared(x))
        return super().logits(x, **options)


def test_broken_parts_fail_with_a_sentence():
    with pytest.raises(AssertionError, match="in place"):
        check_flow(lambda: InPlace())
    with pytest.raises(AssertionError, match="equal generators differ"):
        check_flow(lambda: GlobalNoise())
    with pytest.raises(AssertionError, match="more is held"):
        check_memory(lambda: Overfull(10))
    with pytest.raises(AssertionError, match="lost something"):
        check_memory(lambda: Forgetful(10))
    with pytest.raises(AssertionError, match=r"slot came twice|more than is held"):
        check_retrieval(lambda: Repeating(2))
    with pytest.raises(AssertionError, match=r"global state|changed the learner"):
        check_learner(
            lambda model: Peeking(
                model, torch.optim.SGD(model.parameters(), lr=0.1), memory=ReservoirMemory(10)
            )
        )


def test_a_part_instead_of_its_class_is_refused_with_a_sentence():
    with pytest.raises(UserError, match="is made already; give its class"):
        check_flow(Langevin())

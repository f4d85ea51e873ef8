import pytest
import torch

from evoreplay import Config, FineTuningLearner, ReplayLearner, UserError
from evoreplay.evolution import Hamiltonian, Langevin, Noise, Stein
from evoreplay.models import MLP
from evoreplay.running.assembly import make_learner
from evoreplay.running.methods import METHODS, find_method
from evoreplay.running.protocol import resolved


def learner_of(**settings):
    return make_learner(resolved(Config(**settings)), MLP(64, 10))


def test_each_name_makes_its_flow_with_the_options_of_the_config():
    kinds = {"er+ld": Langevin, "er+svgd": Stein, "er+hmc": Hamiltonian, "er+noise": Noise}
    for name, kind in kinds.items():
        flow = learner_of(method=name, steps=3, rate=0.5, temperature=0.1).evolution
        assert type(flow) is kind
        assert (flow.steps, flow.rate, flow.temperature) == (3, 0.5, 0.1)
    assert learner_of(method="er").evolution is None
    assert isinstance(learner_of(method="fine-tuning"), FineTuningLearner)


def test_recipes_set_the_weights():
    def weights(**settings):
        learner = learner_of(**settings)
        assert isinstance(learner, ReplayLearner)
        return learner.raw_weight, learner.evolved_weight

    assert weights(method="er+ld", recipe="paper") == (0, 1)
    assert weights(method="er+ld", recipe="reference") == weights(method="er+ld") == (1, 1)
    assert weights(method="er", recipe="reference") == (1, 0)


def test_an_unknown_method_comes_with_the_nearest():
    with pytest.raises(UserError, match=r"did you mean 'er\+ld'"):
        find_method("er-ld")
    assert all(method.summary for method in METHODS.values())


def test_the_optimiser_is_plain_sgd():
    optimizer = learner_of(method="er", lr=0.03).optimizer
    assert type(optimizer) is torch.optim.SGD
    (group,) = optimizer.param_groups
    assert (group["lr"], group["momentum"], group["weight_decay"]) == (0.03, 0, 0)

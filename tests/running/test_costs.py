import pytest
import torch
from torch import nn

from evoreplay import MLP, Config, ResNet18
from evoreplay.checks import example_batch
from evoreplay.running.assembly import make_learner
from evoreplay.running.costs import (
    Pass,
    head_share,
    multiplications,
    passes_of_step,
    relative_cost,
)
from evoreplay.running.methods import METHODS
from evoreplay.running.protocol import resolved


def of_paper(method, recipe="paper", **settings):
    return resolved(Config(dataset="cifar10", method=method, recipe=recipe, **settings))


def cost(method, **settings):
    return relative_cost(of_paper(method, **settings))


def test_costs_by_hand():
    # units of ten examples: training 3, to the inputs 2, forward 1; er is 6
    assert cost("er") == 1
    assert cost("fine-tuning") == 0.5
    assert cost("mir") == pytest.approx((6 + 2 * 5) / 6)
    assert cost("gmed") == pytest.approx((6 + 2 * 2) / 6)
    assert cost("er+ld") == pytest.approx(19 / 6)
    # without the dot product the raw pass is the first evolution step's, too
    assert cost("er+ld", alignment=0.0) == pytest.approx(16 / 6)
    assert cost("er+ld", alignment=0.0, recipe="reference") == pytest.approx(17 / 6)
    assert cost("er+hmc", alignment=0.0, steps=1) == pytest.approx(7 / 6)
    assert cost("er+hmc") == pytest.approx(15 / 6)
    assert cost("er+hmc", initial_velocity="thermal") == pytest.approx(17 / 6)
    assert cost("er+noise") == pytest.approx(7 / 6)
    assert cost("er+noise", recipe="reference") == pytest.approx(9 / 6)
    assert cost("er-aug") == pytest.approx(9 / 6)
    assert cost("er+ld", statistics="all", alignment=0.0) == pytest.approx(16 / 6)


def test_an_evolved_stream_is_one_more_training_pass_and_its_evolution_steps():
    # the first of them is the stream's own pass, unless that gives g'
    assert cost("er+ld", evolve_stream=True) == pytest.approx((19 + 3 + 5 * 2) / 6)
    settings = {"evolve_stream": True, "alignment": 0.0}
    assert cost("er+ld", **settings) == pytest.approx((16 + 3 + 4 * 2) / 6)
    assert cost("er+noise", evolve_stream=True) == pytest.approx((7 + 3) / 6)
    # er is 3 + 6 here
    large = {"batch_size": 10, "replay_size": 20, "evolve_stream": True}
    assert cost("er+ld", **large) == pytest.approx((3 + 32 + 3 + 5 * 2) / 9)
    assert latent_cost("er+ld", 0.25, **settings) == pytest.approx(
        (6 + 0.75 + 5 * 2 * 0.25 + 3 + 4 * 2 * 0.25) / 6
    )


@pytest.mark.parametrize("evolve_stream", [False, True])
@pytest.mark.parametrize("flow", ["ld", "svgd", "hmc", "noise"])
@pytest.mark.parametrize("alignment", [0.0, 0.003])
@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize(
    ("space", "input_rate"), [("input", 0.0), ("hidden.0", 0.0), ("hidden.0", 0.1)]
)
def test_the_passes_are_those_that_a_learner_makes(
    evolve_stream, flow, alignment, recipe, space, input_rate
):
    config = resolved(
        Config(
            method=f"er+{flow}",
            evolve_stream=evolve_stream,
            alignment=alignment,
            recipe=recipe,
            space=space,
            input_rate=input_rate,
            batch_size=7,
            replay_size=4,
        )
    )
    model = MLP(12, 4)
    learner = make_learner(config, model)
    learner.observe(*example_batch(0, size=7))
    examples = {"lift": 0, "head": 0}

    def counter(part):
        def count(module, inputs, output):
            examples[part] += len(output)

        return count

    model.hidden[0].register_forward_hook(counter("lift"))
    model.head.register_forward_hook(counter("head"))
    learner.observe(*example_batch(1, size=7))
    expected = {
        part: sum(p.examples * p.times for p in passes_of_step(config) if p.part in ("model", part))
        for part in ("lift", "head")
    }
    assert examples == expected


def test_an_mir_step_is_two_forwards_of_fifty_extra():
    passes = passes_of_step(resolved(Config(dataset="cifar10", method="mir")))
    assert Pass("forward", 50, 2) in passes


def test_a_step_on_a_layer_costs_the_share_of_the_head():
    # er is 6; stream 3, evolved 3, the lift once forward, five times to the layer and no further
    assert latent_cost("er+ld", 0.25, alignment=0.0) == pytest.approx((6 + 0.75 + 5 * 2 * 0.25) / 6)
    # the raw pass gives g' and the features; five steps
    assert latent_cost("er+ld", 0.25) == pytest.approx((9 + 5 * 2 * 0.25) / 6)
    # with raw replay the first step is free, and so are the features
    settings = {"alignment": 0.0, "recipe": "reference"}
    assert latent_cost("er+ld", 0.25, **settings) == pytest.approx((9 + 4 * 2 * 0.25) / 6)
    assert latent_cost("er+noise", 0.25) == pytest.approx(7 / 6)
    assert latent_cost("gmed", 0.25) == pytest.approx((6 + 2 * 0.75 + 2 * 2 * 0.25) / 6)
    assert latent_cost("er-aug+ld", 0.25) == pytest.approx((9 + 0.75 + 5 * 2 * 0.25) / 6)
    assert latent_cost("er", 0.25) == 1


def test_a_step_of_the_input_beside_is_free_where_the_raw_examples_are_learned_without_g():
    settings = {"alignment": 0.0, "recipe": "reference", "input_rate": 0.01}
    assert latent_cost("er+ld", 0.25, **settings) == pytest.approx((9 + 4 * 2 * 0.25) / 6)
    # elsewhere it is a pass to the inputs
    assert latent_cost("er+ld", 0.25, input_rate=0.01) == pytest.approx((11 + 5 * 2 * 0.25) / 6)
    assert latent_cost("er+noise", 0.25, input_rate=0.01) == pytest.approx(7 / 6)


def latent_cost(method, share, **settings):
    return relative_cost(of_paper(method, space="layer3", **settings), share)


def test_the_share_of_the_head_is_counted_in_multiplications():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 5))
    x = torch.randn(7, 2, 4, 4)
    convolution, linear = 3 * 2 * 2 * (2 * 3 * 3), 12 * 5
    assert multiplications(model, x) == 7 * (convolution + linear)
    assert head_share(model, "0", x) == pytest.approx(linear / (linear + convolution))
    assert not model[0]._forward_hooks
    assert model.training
    assert head_share(nn.Sequential(nn.ReLU(), nn.Flatten()), "0", x) == 1


def test_each_stage_of_the_resnet_leaves_less_above_it():
    model, x = ResNet18(10), torch.randn(1, 3, 32, 32)
    shares = [head_share(model, f"layer{n}", x) for n in (1, 2, 3, 4)]
    assert shares == pytest.approx([0.72, 0.48, 0.24, 0.0], abs=0.01)


def test_every_method_has_a_cost():
    assert all(cost(name) > 0 for name in METHODS)

import pytest

from evoreplay import Config
from evoreplay.reports.usual import has_default_recipe, recipe_of, settings_beside_protocol
from evoreplay.running.config import as_dict
from evoreplay.running.protocol import resolved
from evoreplay.running.recipes import NAMES


def config(method="er+ld", dataset="cifar10", **settings):
    return as_dict(resolved(Config(dataset=dataset, method=method, device="cpu", **settings)))


@pytest.mark.parametrize("recipe", NAMES)
def test_the_recipe_of_a_run_is_found_again_though_it_is_written_out(recipe):
    assert recipe_of(config(recipe=recipe)) == recipe
    assert recipe_of(config(recipe=recipe, steps=3, lr=0.05, statistics="all")) == recipe


@pytest.mark.parametrize("run", [("er+ld", "digits"), ("er+svgd", "cifar10"), ("er", "cifar10")])
def test_where_nothing_is_tuned_the_default_is_told_as_what_it_is(run):
    assert recipe_of(config(*run)) in ("reference", "paper")
    assert has_default_recipe(config(*run))
    assert settings_beside_protocol(config(*run)) == {}


def test_evolved_examples_alone_are_never_told_as_tuned_whatever_their_steps():
    small = config(recipe="tuned")
    alone = {**small, "recipe": "paper"}
    assert recipe_of(alone) == "paper"


def test_what_a_run_has_beside_its_protocol_is_its_recipe_and_what_that_does_not_give():
    assert settings_beside_protocol(config()) == {}
    assert settings_beside_protocol(config(recipe="paper")) == {"recipe": "paper"}
    assert settings_beside_protocol(config(input_rate=0.0)) == {"input_rate": 0.0}
    other = config(recipe="reference", steps=2, lr=0.05)
    assert settings_beside_protocol(other) == {"recipe": "reference", "steps": 2, "lr": 0.05}

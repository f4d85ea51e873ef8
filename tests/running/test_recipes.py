import pytest

from evoreplay import Config, UserError
from evoreplay.running.config import run_name
from evoreplay.running.protocol import resolved
from evoreplay.running.recipes import RECIPES, find_recipe


def test_what_a_config_leaves_open_is_the_recipes():
    config = resolved(Config(dataset="cifar10", method="er+ld", recipe="paper"))
    assert (config.steps, config.rate, config.temperature) == (5, 0.01, 1.0)
    assert (config.step, config.alignment, config.space) == ("raw", 0.003, "input")


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_a_config_says_itself_overrules_every_recipe(recipe):
    said = {"steps": 0, "rate": 0.5, "temperature": 0.0, "step": "raw", "alignment": 0.0}
    config = resolved(Config(method="er+ld", recipe=recipe, space="input", **said))
    assert {name: getattr(config, name) for name in said} == said
    assert config.space == "input"


@pytest.mark.parametrize("method", ["er", "er-x2", "mir", "fine-tuning", "iid-online"])
def test_without_a_flow_every_recipe_is_the_same_run(method):
    assert len({run_name(resolved(Config(method=method, recipe=name))) for name in RECIPES}) == 1


def test_with_a_flow_every_recipe_is_another_run():
    names = {run_name(resolved(Config(method="er+ld", recipe=name))) for name in RECIPES}
    assert len(names) == len(RECIPES)


def test_an_unknown_recipe_is_refused_with_the_nearest_name():
    with pytest.raises(UserError, match="did you mean 'reference'"):
        find_recipe("referenc")

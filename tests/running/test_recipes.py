import math

import pytest

from evoreplay import Config, UserError
from evoreplay.running.assembly import make_flow
from evoreplay.running.config import run_name
from evoreplay.running.protocol import resolved


def of(method="er+ld", dataset="cifar10", **settings):
    return resolved(Config(dataset=dataset, method=method, device="cpu", **settings))


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("method", ["er+ld", "er+hmc", "er+noise"])
def test_by_the_papers_recipe_and_by_reference_a_flow_has_the_papers_numbers(method, recipe):
    config = of(method, recipe=recipe)
    assert (config.recipe, config.steps, config.rate, config.temperature) == (recipe, 5, 0.01, 1.0)
    assert (config.step, config.alignment, config.space) == ("raw", 0.003, "input")


@pytest.mark.parametrize("dataset", ["cifar10", "cifar100", "mini-imagenet"])
def test_tuned_is_a_short_name_of_its_settings_so_both_are_one_run(dataset):
    written_out = of(
        dataset=dataset,
        recipe="reference",
        steps=2,
        rate=0.02,
        temperature=0.0,
        step="normalised",
        alignment=0.0,
        space="layer3",
        input_rate=0.01,
    )
    assert run_name(of(dataset=dataset, recipe="tuned")) == run_name(written_out)


def test_the_noise_control_of_the_tuned_steps_goes_as_far_as_they_do():
    control = of("er+noise", recipe="tuned")
    flow = make_flow("noise", control)
    assert math.isclose(flow.standard_deviation, 2 * 0.02)
    assert (control.space, control.step, control.input_rate) == ("layer3", "normalised", 0.01)
    assert of("er+noise", recipe="tuned", match="langevin").match == "langevin"


@pytest.mark.parametrize("settings", [{"temperature": 0.1}, {"step": "raw"}])
def test_steps_with_noise_or_of_an_unknown_length_have_langevins_noise_as_a_control(settings):
    control = of("er+noise", recipe="tuned", **settings)
    assert control.match == "langevin"
    expected = math.sqrt(2 * 0.02 * 2 * control.temperature)
    assert math.isclose(make_flow("noise", control).standard_deviation, expected)


@pytest.mark.parametrize("method", ["er", "er+ld", "er+noise"])
@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_by_the_other_recipes_noise_is_that_of_langevin(method, recipe):
    assert of(method, recipe=recipe).match == "langevin"


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_by_the_other_recipes_the_input_takes_no_step_beside(recipe):
    assert of(recipe=recipe, space="layer3").input_rate == 0


def test_tuned_steps_of_the_input_itself_have_none_beside():
    assert of(recipe="tuned", space="input").input_rate == 0


def test_texts_take_the_tuned_steps_of_their_embeddings_and_none_of_the_tokens():
    tuned = of(dataset="clinc150", recipe="tuned")
    assert (tuned.space, tuned.input_rate) == ("embedding", 0)
    assert (tuned.steps, tuned.rate, tuned.step, tuned.temperature) == (2, 0.02, "normalised", 0)


def test_what_is_said_beside_a_recipe_stays():
    config = of(recipe="tuned", steps=5, space="layer2", alignment=0.003, input_rate=0)
    assert (config.steps, config.space, config.alignment) == (5, "layer2", 0.003)
    assert config.input_rate == 0
    assert (config.rate, config.step, config.temperature) == (0.02, "normalised", 0.0)


@pytest.mark.parametrize("method", ["er", "er-bn", "mir", "fine-tuning"])
def test_without_a_flow_all_recipes_are_the_same_run(method):
    names = {run_name(of(method, recipe=recipe)) for recipe in ("paper", "reference", "tuned")}
    assert len(names) == 1


@pytest.mark.parametrize("dataset", ["digits", "mnist", "folder:pictures"])
def test_for_a_network_of_which_nothing_better_is_known_tuned_is_reference(dataset):
    for settings in ({}, {"space": "hidden.0"}, {"steps": 1}):
        names = [
            run_name(of(dataset=dataset, recipe=r, **settings)) for r in ("tuned", "reference")
        ]
        assert names[0] == names[1]


@pytest.mark.parametrize("method", ["er+svgd", "er+hmc"])
def test_flows_that_were_not_tuned_have_the_numbers_of_reference(method):
    assert run_name(of(method, recipe="tuned")) == run_name(of(method, recipe="reference"))


@pytest.mark.parametrize("dataset", ["digits", "cifar10", "clinc150"])
@pytest.mark.parametrize("method", ["er+ld", "mir+ld", "er+noise", "er+svgd"])
def test_tuned_is_the_default(method, dataset):
    assert run_name(of(method, dataset)) == run_name(of(method, dataset, recipe="tuned"))


def test_what_a_grid_says_of_flows_makes_a_method_without_one_no_other_run():
    flows = {"rate": 0.5, "temperature": 0.0, "step": "normalised", "alignment": 0.1, "steps": 3}
    for method in ("er", "mir", "gss", "fine-tuning", "agem"):
        assert run_name(of(method, **flows)) == run_name(of(method))
    assert run_name(of("er", lr=0.05)) != run_name(of("er"))
    # as many more forwards as a flow has steps
    assert of("er-bn", steps=3).steps == 3


def test_an_unknown_recipe_comes_with_the_nearest():
    with pytest.raises(UserError, match="did you mean 'tuned'"):
        of(recipe="tunned")

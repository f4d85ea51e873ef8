import pytest

from evoreplay import UserError
from evoreplay.learners.replay_weights import replay_weights


def test_the_paper_replays_evolved_examples_alone_and_the_reference_both():
    assert replay_weights("paper", None, None) == (0, 1)
    assert replay_weights("reference", None, None) == (1, 1)


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_weights_that_are_given_overrule_the_recipe_each_for_itself(recipe):
    raw, evolved = replay_weights(recipe, None, None)
    assert replay_weights(recipe, 0.25, None) == (0.25, evolved)
    assert replay_weights(recipe, None, 0.0) == (raw, 0.0)


@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_where_nothing_evolves_raw_examples_weigh_one(recipe):
    assert replay_weights(recipe, None, None, evolves=False) == (1, 0)
    assert replay_weights(recipe, 2.0, None, evolves=False) == (2, 0)


def test_an_unknown_recipe_is_refused_even_where_nothing_evolves():
    with pytest.raises(UserError, match="did you mean 'paper'"):
        replay_weights("papr", None, None, evolves=False)

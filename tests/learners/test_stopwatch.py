import pytest

from evoreplay import Config
from evoreplay.learners.stopwatch import SECTIONS, Stopwatch, no_watch
from evoreplay.running import run


def test_time_is_counted_by_section_even_after_an_error():
    watch = Stopwatch()
    with pytest.raises(ZeroDivisionError), watch("a"):
        sum(range(100_000)) / 0
    assert watch.seconds["a"] > 0
    with no_watch("a") as nothing:
        assert nothing is None


@pytest.mark.parametrize("method", ["fine-tuning", "agem", "er+ld"])
@pytest.mark.parametrize("forward", ["separate", "joint"])
def test_the_sections_make_up_most_of_the_time_of_a_step(method, forward, tmp_path):
    outcome = run(Config(method=method, scale=0.3, forward=forward), out=tmp_path, profile=True)
    assert set(outcome.profile) <= set(SECTIONS)
    steps = sum(outcome.result["examples_per_segment"]) / 10
    in_steps = outcome.result["seconds_per_step"] * steps
    assert sum(outcome.profile.values()) > 0.6 * in_steps
    if method == "er+ld":
        assert outcome.profile["evolution"] > outcome.profile["memory"]

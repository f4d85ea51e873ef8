import pytest

from evoreplay.reports.collect import collect
from evoreplay.reports.groups import sections
from evoreplay.reports.paper_numbers import (
    paper_accuracy,
    paper_carlini_wagner,
    paper_cost,
    paper_tables,
)
from evoreplay.running.methods import METHODS


@pytest.fixture
def only_group(write_run, tmp_path):
    def make(method, changes=None, recipe="paper", **settings):
        write_run(method, 0, changes=changes, recipe=recipe, **settings)
        (section,) = sections(collect(tmp_path).runs)
        (group,) = section.groups
        return group

    return make


@pytest.mark.parametrize(
    ("method", "settings", "expected"),
    [
        ("er", {"dataset": "cifar10"}, (33.3, 2.8, "main", True)),
        ("gmed+svgd", {"dataset": "mini-imagenet"}, (28.7, 1.5, "main", True)),
        ("er-aug", {"dataset": "cifar100"}, (18.3, 1.9, "main", True)),
        ("er", {"dataset": "cifar10", "scale": 0.2}, (33.3, 2.8, "main", False)),
        (
            *("mir+hmc", {"dataset": "cifar100", "memory_size": 2000}),
            (13.2, 1.2, "memory_size_cifar100", True),
        ),
        (
            *("er+svgd", {"dataset": "mini-imagenet", "steps": 7}),
            (27.2, 1.2, "evolution_steps", True),
        ),
        ("er+ld", {"dataset": "cifar10", "alignment": 0.0}, (37.2, 1.7, "beta", True)),
        ("er+ld", {"dataset": "cifar100", "rate": 0.1}, (21.3, 1.2, "alpha_cifar100", True)),
    ],
)
def test_a_row_that_is_an_experiment_of_the_paper_has_its_number(
    only_group, method, settings, expected
):
    assert paper_accuracy(only_group(method, **settings)) == expected


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("er", {}),
        ("er+noise", {"dataset": "cifar10"}),
        ("er", {"dataset": "cifar10", "lr": 0.05}),
        ("er", {"dataset": "cifar10", "memory_size": 200}),
        ("er+ld", {"dataset": "cifar10", "steps": 3}),
        ("er+hmc", {"dataset": "cifar10", "alignment": 0.001}),
        ("er+ld", {"dataset": "cifar10", "rate": 0.03, "alignment": 0.0}),
        ("er+ld", {"dataset": "cifar10", "recipe": "reference"}),
    ],
)
def test_a_row_that_is_no_experiment_of_the_paper_has_none(only_group, method, settings):
    assert paper_accuracy(only_group(method, **settings)) is None


def test_a_subset_is_not_the_same_experiment(only_group):
    found = paper_accuracy(only_group("er", changes={"subset": "a half"}, dataset="cifar10"))
    assert (found.mean, found.full) == (33.3, False)


def test_every_row_of_the_main_table_is_a_method_of_ours():
    assert set(paper_tables()["main"]["rows"]) == {m.row for m in METHODS.values()} - {None}


def test_cost_and_carlini_wagner_have_rows_of_their_own(only_group):
    group = only_group("gmed", dataset="cifar10")
    assert paper_carlini_wagner(group)[:2] == (2.1, 0.1)
    assert paper_cost(group) is None


def test_cost_stands_in_brackets_beside_data_that_the_paper_has_not(only_group):
    assert paper_cost(only_group("er+svgd"))[:] == (4.1, None, "cost", False)


def test_another_number_of_steps_has_another_cost(only_group):
    assert paper_cost(only_group("er+ld", dataset="cifar10", steps=3)) is None

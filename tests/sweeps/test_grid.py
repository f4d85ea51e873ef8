import pytest

from evoreplay import Config, UserError
from evoreplay.running.protocol import resolved
from evoreplay.sweeps.grid import experiment_configs, known_experiments, make_grid, parse_only


def configs(**fields):
    return [Config(method=method, seed=s, **fields) for method in ("er", "er+ld") for s in (0, 1)]


def test_all_methods_of_a_seed_come_before_the_next_seed():
    order = [(job.config.seed, job.config.method) for job in make_grid(configs())]
    assert order == [(0, "er"), (0, "er+ld"), (1, "er"), (1, "er+ld")]


def test_seeds_of_the_command_line_take_the_place_of_the_files():
    jobs = make_grid(configs(), seeds=3)
    assert sorted({job.config.seed for job in jobs}) == [0, 1, 2]
    assert len(jobs) == 6


def test_only_keeps_what_has_those_values():
    assert parse_only(["dataset=digits,method=er", "method=er+ld"]) == {
        "dataset": {"digits"},
        "method": {"er", "er+ld"},
    }
    jobs = make_grid(configs(), only=["method=er+ld,seed=1"])
    assert [(job.config.method, job.config.seed) for job in jobs] == [("er+ld", 1)]


def test_settings_overrule_the_file_and_change_the_name():
    plain, scaled = make_grid(configs()), make_grid(configs(), settings={"scale": 0.5})
    assert {job.config.scale for job in scaled} == {0.5}
    assert not {job.name for job in plain} & {job.name for job in scaled}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"only": ["method=mir"]}, "no run of the grid has method=mir"),
        ({"only": ["metod=er"]}, "did you mean 'method'"),
        ({"only": ["er"]}, "write it as field=value"),
        ({"seeds": 0}, "--seeds is 0"),
        ({"settings": {"scale": 2.0}}, "scale is 2.0"),
    ],
)
def test_bad_input_gets_one_clear_message(options, words):
    with pytest.raises(UserError, match=words):
        make_grid(configs(), **options)


@pytest.mark.parametrize("name", known_experiments())
def test_every_experiment_of_the_package_can_be_run(name):
    assert all(resolved(config) for config in experiment_configs(name))


OURS = {
    *("cifar10", "mini_imagenet_tenth", "tuned_others"),
    *("search", "search_others", "search_whole"),
}
OF_THE_PAPER = {*known_experiments()} - OURS


@pytest.mark.parametrize("name", sorted(OF_THE_PAPER))
def test_every_experiment_of_the_paper_has_its_recipe(name):
    # those without a flow have it, too
    assert {resolved(config).recipe for config in experiment_configs(name)} == {"paper"}


def test_an_experiment_is_found_by_name_and_a_wrong_name_gets_the_nearest():
    methods = {config.method for config in experiment_configs("main")}
    assert {"er", "gss", "mir+svgd", "er-aug+hmc", "iid-offline"} <= methods
    with pytest.raises(UserError, match="did you mean 'main_quick'"):
        experiment_configs("main_quik")


def test_a_folder_of_the_same_name_does_not_hide_an_experiment(tmp_path, monkeypatch):
    (tmp_path / "search").mkdir()
    monkeypatch.chdir(tmp_path)
    assert experiment_configs("search")

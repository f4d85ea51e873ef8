from evoreplay import Config
from evoreplay.reports.plan import is_planned, plan_of, row_key
from evoreplay.running.config import as_dict
from evoreplay.running.protocol import resolved


def configs(*pairs, **settings):
    return [resolved(Config(method=method, seed=seed, **settings)) for method, seed in pairs]


def test_a_plan_has_a_row_for_each_config_and_gathers_its_seeds():
    plan = plan_of(configs(("er", 0), ("er+ld", 0), ("er", 4), ("er", 4)))
    assert [(row.config["method"], set(row.seeds)) for row in plan.values()] == [
        ("er", {0, 4}),
        ("er+ld", {0}),
    ]


def test_a_run_is_planned_with_its_seed_and_all_its_settings_or_not_at_all():
    plan = plan_of(configs(("er", 0), ("er", 1)))
    (planned, other_seed) = map(as_dict, configs(("er", 1), ("er", 2)))
    (other_rate,) = map(as_dict, configs(("er", 1), lr=0.05))
    assert is_planned(planned, plan)
    assert not is_planned(other_seed, plan)
    assert not is_planned(other_rate, plan)
    assert row_key(planned) == row_key(other_seed) != row_key(other_rate)

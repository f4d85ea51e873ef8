from evoreplay.demo import METHODS, demo_configs, spread


def test_the_demo_compares_seven_methods_seed_by_seed():
    configs = demo_configs(3)
    assert len(configs) == 21
    assert [c.method for c in configs[:7]] == METHODS
    assert {c.dataset for c in configs} == {"digits"}


def test_spread_is_mean_and_sample_deviation():
    assert spread([1.0, 2.0, 3.0], 1) == "2.0 ± 1.0"
    assert spread([1.0], 1) == "1.0 ± nan"

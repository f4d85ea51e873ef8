import pytest
import torch

import evoreplay as ev
from evoreplay.reports.collect import collect
from evoreplay.reports.comparisons import controls_of, reference_of, verdict
from evoreplay.reports.groups import sections
from evoreplay.reports.rows import rows_of
from evoreplay.reports.statistics import summary


def rows(folder):
    (section,) = sections(collect(folder).runs)
    return {row.group.label: row for row in rows_of(section)}


def groups(folder):
    (section,) = sections(collect(folder).runs)
    return {group.label: group for group in section.groups}


def test_the_difference_to_er_is_paired_by_seed(write_run, tmp_path):
    for seed, er, evolved in [(0, 0.30, 0.35), (1, 0.50, 0.56), (2, 0.40, 0.44)]:
        write_run("er", seed, er)
        write_run("er+ld", seed, evolved)
    write_run("er+ld", 9, 0.99)
    found = rows(tmp_path)
    comparison = found["er+ld"].to_reference
    assert (comparison.difference.n, comparison.words) == (3, "higher than er")
    assert comparison.difference.mean == pytest.approx(5.0)
    assert found["er"].to_reference is None
    assert found["er"].is_reference
    assert found["er+ld"].accuracy.n == 4


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([1.0, 1.1, 0.9], "higher than er"),
        ([-1.0, -1.1, -0.9], "lower than er"),
        ([5.0, -1.0, 3.0], "no difference shown"),
        ([0.0, 0.0], "no difference shown"),
        ([100.0, 1.0], "no difference shown"),
    ],
)
def test_only_an_interval_without_zero_is_higher_or_lower(differences, words):
    assert verdict(summary(differences), "er") == words


def test_one_common_seed_is_no_comparison(write_run, tmp_path):
    write_run("er", 0, 0.1)
    write_run("er", 1, 0.1)
    write_run("er+ld", 0, 0.9)
    comparison = rows(tmp_path)["er+ld"].to_reference
    assert (comparison.difference, comparison.words) == (None, "fewer than 2 seeds in common")


@pytest.mark.parametrize(
    "other",
    [
        {"lr": 0.05},
        {"batch_size": 5},
        {"updates": 2},
        {"memory_size": 50},
        {"replay_size": 20},
        {"forward": "joint"},
        {"precision": "bfloat16"},
        {"model": "resnet18"},
        {"segments": 2},
        {"stream": "blurry"},
        {"retrieval": "mir"},
        {"memory": "gss"},
        {"raw_weight": 2.0},
    ],
)
def test_er_under_other_conditions_is_not_the_reference(write_run, tmp_path, other):
    write_run("er", 0, **other)
    write_run("er+ld", 0)
    found = groups(tmp_path)
    evolved = next(g for label, g in found.items() if label.startswith("er+ld"))
    assert reference_of(evolved, list(found.values())) is None


def test_settings_of_the_flow_do_not_part_a_row_from_its_er(write_run, tmp_path):
    write_run("er", 0)
    write_run("er+ld", 0, steps=1, rate=0.5, recipe="reference", alignment=0.0)
    found = list(groups(tmp_path).values())
    assert reference_of(found[1], found) is found[0]


def test_the_bounds_have_another_stream_and_no_reference(write_run, tmp_path):
    write_run("er", 0)
    write_run("iid-online", 0)
    found = groups(tmp_path)
    assert reference_of(found["iid-online"], list(found.values())) is None


def test_the_control_has_the_same_noise_weight_and_base(write_run, tmp_path):
    write_run("mir+ld", 0, rate=0.02)
    write_run("mir+noise", 0, rate=0.02)
    write_run("mir+noise", 0, rate=0.01)
    write_run("er+noise", 0, rate=0.02)
    found = list(groups(tmp_path).values())
    flow = next(g for g in found if g.method == "mir+ld")
    control = controls_of(flow, found).noise
    assert (control.method, control.config["rate"]) == ("mir+noise", 0.02)


@pytest.mark.parametrize(
    "other",
    [
        {"recipe": "paper"},
        {"steps": 1},
        {"temperature": 0.5},
        {"evolved_weight": 0.5},
        {"statistics": "all"},
        {"write_back": True},
        {"space": "hidden"},
        {"space": "hidden", "input_rate": 0.1},
        {"evolve_stream": True},
        {"match": "hamiltonian"},
        {"stride": 0.5},
        {"candidates": 7},
    ],
)
def test_noise_under_other_settings_is_no_control(write_run, tmp_path, other):
    write_run("er+ld", 0)
    write_run("er+noise", 0, **other)
    found = list(groups(tmp_path).values())
    assert controls_of(found[0], found) == (None, None)


def test_of_two_noises_that_of_the_own_flow_is_the_control(write_run, tmp_path):
    write_run("er+ld", 0)
    write_run("er+hmc", 0)
    write_run("er+noise", 0, match="langevin")
    write_run("er+noise", 0, match="hamiltonian")
    found = groups(tmp_path)
    everything = list(found.values())
    assert controls_of(found["er+ld"], everything).noise.config["match"] == "langevin"
    assert controls_of(found["er+hmc"], everything).noise.config["match"] == "hamiltonian"


def test_a_flow_without_noise_is_compared_with_noise_that_goes_as_far(write_run, tmp_path):
    steps = {"temperature": 0.0, "step": "normalised"}
    write_run("er+ld", 0, **steps)
    write_run("er+noise", 0, match="langevin", **steps)
    write_run("er+noise", 0, match="distance", **steps)
    found = groups(tmp_path)
    everything = list(found.values())
    own = next(group for label, group in found.items() if label.startswith("er+ld"))
    assert controls_of(own, everything).noise.config["match"] == "distance"


def test_langevins_noise_is_more_than_that_of_hmc_and_no_control_of_it(write_run, tmp_path):
    write_run("er+hmc", 0)
    write_run("er+noise", 0, match="langevin")
    write_run("er+noise", 0, match="hamiltonian", friction=0.5)
    found = groups(tmp_path)
    assert controls_of(found["er+hmc"], list(found.values())).noise is None


def test_flows_that_draw_no_noise_and_go_another_way_than_the_drift_have_no_noise_control(
    write_run, tmp_path
):
    write_run("er+svgd", 0)
    write_run("er+svgd", 0, step="normalised")
    write_run("er+hmc", 0, step="normalised", temperature=0.0)
    for temperature in (0.0, 1.0):
        write_run("er+noise", 0, match="distance", step="normalised", temperature=temperature)
    write_run("er+noise", 0, match="langevin")
    everything = list(groups(tmp_path).values())
    flows = [group for group in everything if group.method in ("er+svgd", "er+hmc")]
    assert [controls_of(flow, everything).noise for flow in flows] == [None] * 3


@pytest.mark.parametrize("flow", [ev.Langevin, ev.Stein, ev.Hamiltonian])
def test_only_langevins_normalised_steps_go_as_far_as_noise_that_matches_a_distance(flow):
    settings = {"steps": 5, "rate": 0.01, "temperature": 0.0, "step": "normalised"}
    generator = torch.Generator().manual_seed(0)
    x, up = torch.randn(10, 3072, generator=generator), torch.ones(10, 3072)
    way = flow(**settings).evolve(x, lambda _: -up, generator=generator) - x
    noise = ev.Noise(match="distance", **settings).standard_deviation
    as_far = abs(float(way.square().mean().sqrt()) / noise - 1) < 0.05
    assert as_far == (flow is ev.Langevin)


def test_twice_the_weight_is_a_control_of_the_recipe_reference_only(write_run, tmp_path):
    write_run("er-x2", 0, dataset="cifar10")
    write_run("er+ld", 0, dataset="cifar10", recipe="paper")
    write_run("er+ld", 0, dataset="cifar10", recipe="reference")
    found = groups(tmp_path)
    everything = list(found.values())
    assert controls_of(found["er+ld recipe=paper"], everything).twice is None
    assert controls_of(found["er+ld recipe=reference"], everything).twice.method == "er-x2"


def test_an_evolved_stream_has_its_noise_and_its_er_but_no_control_of_equal_weight(
    write_run, tmp_path
):
    for method in ("er", "er-x2"):
        write_run(method, 0)
    for method in ("er+ld", "er+noise"):
        write_run(method, 0, recipe="reference")
        write_run(method, 0, recipe="reference", evolve_stream=True)
    everything = list(groups(tmp_path).values())
    for group in everything:
        if group.method == "er+ld":
            noise, twice = controls_of(group, everything)
            evolves = group.config["evolve_stream"]
            assert noise.method == "er+noise"
            assert noise.config["evolve_stream"] == evolves
            # twice the replay, but the stream once: not the weights of an evolved stream
            assert (twice is None) == evolves
            assert reference_of(group, everything).method == "er"


def test_a_flow_on_a_layer_has_its_er_but_no_cost_that_is_known_without_the_model(
    write_run, tmp_path
):
    write_run("er", 0, space="hidden")
    write_run("er+ld", 0, space="hidden")
    write_run("er+ld", 0)
    found = rows(tmp_path)
    assert found["er+ld space=hidden"].to_reference.method == "er"
    assert found["er+ld space=hidden"].predicted_cost is None
    assert found["er+ld space=input"].predicted_cost > 1
    assert found["er space=hidden"].predicted_cost == 1


def test_cost_is_relative_to_er_of_the_same_seed(write_run, tmp_path):
    for seed, slow in [(0, 1.0), (1, 10.0)]:
        write_run("er", seed, changes={"seconds_per_step": slow})
        write_run("er+ld", seed, changes={"seconds_per_step": 3 * slow})
    found = rows(tmp_path)
    assert found["er+ld"].cost[:3] == (2, 3.0, 0.0)
    assert found["er"].cost.mean == 1

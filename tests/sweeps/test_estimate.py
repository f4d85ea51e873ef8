import pytest

from evoreplay import Config
from evoreplay.sweeps.estimate import expected_seconds
from evoreplay.sweeps.grid import make_grid


def test_an_estimate_grows_with_the_passes_of_a_step():
    jobs = make_grid(
        [Config(method=m) for m in ("er", "er+ld")]
        + [Config(method="er", scale=0.5)]
        + [Config(dataset="npz:nowhere.npz")]
    )
    er = expected_seconds(jobs)
    by_name = {j.name: j.config for j in jobs}
    assert len(er) == 3
    times = {(by_name[n].method, by_name[n].scale): s for n, s in er.items()}
    assert times["er+ld", 1.0] > times["er", 1.0] > times["er", 0.5] > 0


def test_an_estimate_does_not_depend_on_what_else_is_in_the_grid(monkeypatch):
    monkeypatch.setattr("evoreplay.sweeps.estimate.seconds_of_unit", lambda config, experiment: 1.0)
    varied = [
        Config(method="er", **fields)
        for fields in (
            {},
            {"batch_size": 20},
            {"stream": "imbalanced"},
            {"stream": "imbalanced", "imbalance": 0.5},
            {"measured_on": "validation"},
        )
    ]
    together = expected_seconds(make_grid(varied))
    for config in varied:
        ((name, alone),) = expected_seconds(make_grid([config])).items()
        assert together[name] == alone
    assert len(set(together.values())) == 5


def test_evolution_of_a_layer_is_expected_to_cost_what_its_head_does(monkeypatch):
    monkeypatch.setattr("evoreplay.sweeps.estimate.seconds_of_unit", lambda config, experiment: 1.0)

    def expected(space):
        (seconds,) = expected_seconds(make_grid([Config(method="er+ld", space=space)])).values()
        return seconds

    # the later the layer, the less is above it; one that is not there is the run's to refuse
    assert expected("input") > expected("hidden.0") > expected("hidden.1")
    assert expected("nowhere") == pytest.approx(expected("input"))

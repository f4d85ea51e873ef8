import copy
import hashlib
import json
import math
import signal

import pytest
import torch
from torch import nn

from evoreplay import (
    ArrayStream,
    AveragedGradientLearner,
    Config,
    FineTuningLearner,
    Langevin,
    ReplayLearner,
    ReservoirMemory,
    run,
)
from evoreplay.checks import same
from evoreplay.running.evolved_memory import MemoryEvolution
from evoreplay.running.interruption import Interrupted, StopRequest
from evoreplay.running.memory_along_stream import MemoryAlongStream, same_rows
from evoreplay.storage import newest_state

QUICK = {"scale": 0.2, "memory_size": 20}


def make_stream(batches=30):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(4 * batches, 3, generator=generator)
    order = torch.randperm(len(x), generator=generator)
    return ArrayStream(x, (x[:, 0] > 0).long(), order, 4, (batches,))


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 2))


def learner_after(stream, batches, flow=None, memory_size=15, **options):
    model = make_model()
    learner = ReplayLearner(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1),
        memory=ReservoirMemory(memory_size),
        evolution=flow,
        **options,
    )
    for x, y in list(stream)[:batches]:
        learner.observe(x, y)
    return learner


def measured(learner, stream, position=10, config=None):
    along = MemoryAlongStream(config or Config(replay_size=4), stream, StopRequest())
    return along.measure(learner, position)


def seen_by(model, x):
    """Features in eval mode."""
    model = copy.deepcopy(model).eval()
    return model[:3](x).detach().double()


def discrepancy(model, x, stored, y):
    """As in the paper of Gretton et al., by whole matrices, bandwidth from y.

    `stored` is what x was before it evolved: no example is compared with itself.
    """
    apart = (stored[:, None] != y[None]).any(dim=2)
    x, y = seen_by(model, x), seen_by(model, y)
    squared = ((y[:, None] - y[None]) ** 2).sum(dim=2)
    bandwidth = squared[~torch.eye(len(y), dtype=torch.bool)].quantile(0.5)

    def mean_kernel(a, b, pairs):
        kernel = torch.exp(-((a[:, None] - b[None]) ** 2).sum(dim=2) / bandwidth)
        return (kernel * pairs).sum() / pairs.sum()

    within = (mean_kernel(z, z, 1 - torch.eye(len(z))) for z in (x, y))
    assert not apart.all()
    return float(sum(within) - 2 * mean_kernel(x, y, apart.double()))


def test_raw_is_the_distance_of_the_memory_to_all_that_went_by():
    stream = make_stream()
    learner = learner_after(stream, 10)
    found = measured(learner, stream)
    held = learner.memory.gather(torch.arange(15)).x
    past = stream.x[stream.order[:40]]
    expected = discrepancy(learner.model, held, held, past)
    assert found["raw"] == pytest.approx(expected, abs=1e-6)
    assert found == {
        "batch": 10,
        "raw": found["raw"],
        "evolved": None,
        "past_examples": 40,
        "memory_examples": 15,
    }


def test_of_a_long_past_and_a_large_memory_500_are_taken_evenly():
    stream = make_stream(batches=390)
    learner = learner_after(stream, 130, memory_size=510)
    found = measured(learner, stream, position=130)
    assert (found["past_examples"], found["memory_examples"]) == (500, 500)
    spaced = [round(n * 519 / 499) for n in range(500)]
    past = stream.x[stream.order[:520]][spaced]
    held = learner.memory.gather(torch.tensor([round(n * 509 / 499) for n in range(500)])).x
    expected = discrepancy(learner.model, held, held, past)
    assert found["raw"] == pytest.approx(expected, abs=1e-6)


def test_a_flow_that_does_not_move_leaves_the_memory_where_it_is():
    stream = make_stream()
    learner = learner_after(stream, 10, Langevin(rate=1e-12, temperature=0.0))
    found = measured(learner, stream)
    assert found["evolved"] == pytest.approx(found["raw"], abs=1e-6)
    assert found["loss_after"] == pytest.approx(found["loss_before"], abs=1e-5)
    assert found["moved"] < 1e-6


def test_evolved_is_the_distance_of_every_example_after_evolution_in_minibatches_of_the_replay_size(
    monkeypatch,
):
    stream = make_stream()
    learner = learner_after(stream, 10, Langevin(rate=0.2))
    taken = []
    evolve = MemoryEvolution.of

    def remembered(self, slots):
        found = evolve(self, slots)
        taken.append((slots, found))
        return found

    monkeypatch.setattr(MemoryEvolution, "of", remembered)
    found = measured(learner, stream)
    slots = torch.cat([slots for slots, _ in taken])
    assert sorted(slots.tolist()) == list(range(15))
    assert slots.tolist() != list(range(15))
    assert sorted(len(slots) for slots, _ in taken) == [3, 4, 4, 4]
    evolved = torch.cat([part.evolved.inputs for _, part in taken])
    past = stream.x[stream.order[:40]]
    raw = learner.memory.gather(slots).x
    expected = discrepancy(learner.model, evolved, raw, past)
    assert found["evolved"] == pytest.approx(expected, abs=1e-6)
    assert found["moved"] == pytest.approx(float((evolved - raw).square().mean().sqrt()), rel=1e-5)
    for name in ("loss_before", "loss_after"):
        losses = torch.cat([getattr(part, name) for _, part in taken])
        assert found[name] == pytest.approx(float(losses.mean()), rel=1e-5)


def test_noise_that_drowns_the_examples_takes_them_away_from_the_past():
    stream = make_stream()
    learner = learner_after(stream, 10, Langevin(rate=10.0))
    found = measured(learner, stream)
    assert found["evolved"] > found["raw"] + 0.1
    assert found["loss_after"] > found["loss_before"]


def test_where_a_layer_evolves_its_features_are_what_moves():
    stream = make_stream()
    learner = learner_after(stream, 10, Langevin(rate=5.0), space="1")
    found = measured(learner, stream)
    assert found["evolved"] > found["raw"]
    assert found["moved"] == pytest.approx(math.sqrt(2 * 5.0 * 5), rel=0.3)


@pytest.mark.parametrize("flow", [None, Langevin()])
def test_measuring_changes_nothing_in_the_learner(flow):
    stream = make_stream()
    learner = learner_after(stream, 10, flow)
    before, random_state = copy.deepcopy(learner.state_dict()), torch.get_rng_state()
    measured(learner, stream)
    assert same(before, learner.state_dict())
    assert learner.model.training
    assert torch.equal(random_state, torch.get_rng_state())


def test_it_depends_on_the_seed_and_on_nothing_global():
    stream = make_stream()
    learner = learner_after(stream, 10, Langevin())
    found = []
    for global_seed, seed in ((1, 0), (2, 0), (2, 1)):
        torch.manual_seed(global_seed)
        found.append(measured(learner, stream, config=Config(replay_size=4, seed=seed)))
    assert found[0] == found[1]
    assert found[0]["raw"] == pytest.approx(found[2]["raw"])
    assert found[0]["evolved"] != found[2]["evolved"]


def test_a_moment_is_measured_once_and_only_at_a_third_two_thirds_and_the_end():
    stream = make_stream()
    learner = learner_after(stream, 10)
    first = MemoryAlongStream(Config(), stream, StopRequest())
    assert first.measure(learner, 9) is None
    assert first.measure(learner, 10) is not None
    again = MemoryAlongStream(Config(), stream, StopRequest(), first.done)
    assert again.measure(learner, 10) is None
    assert again.measure(learner, 20) is not None
    assert [moment["batch"] for moment in again.done] == [10, 20]


def test_an_interrupted_measurement_leaves_nothing_half_done():
    stream, stop = make_stream(), StopRequest()
    along = MemoryAlongStream(Config(), stream, stop)
    stop(signal.SIGTERM, None)
    with pytest.raises(Interrupted):
        along.measure(learner_after(stream, 10, Langevin()), 10)
    assert along.done == []


@pytest.mark.parametrize("kind", [FineTuningLearner, AveragedGradientLearner])
def test_learners_without_a_flow_have_what_their_memory_allows(kind):
    stream, model = make_stream(), make_model()
    remembers = kind is AveragedGradientLearner
    parts = {"memory": ReservoirMemory(5)} if remembers else {}
    learner = kind(model, torch.optim.SGD(model.parameters(), lr=0.1), **parts)
    assert measured(learner, stream) is None  # nothing is held yet
    for x, y in list(stream)[:10]:
        learner.observe(x, y)
    found = measured(learner, stream)
    assert (found is not None) is remembers
    assert not remembers or found["evolved"] is None


def test_a_network_far_gone_gives_no_number_and_no_error():
    stream = make_stream()
    learner = learner_after(stream, 10, Langevin())
    with torch.no_grad():
        learner.model[0].weight.fill_(math.nan)
    found = measured(learner, stream)
    assert found["raw"] is found["evolved"] is found["loss_after"] is None
    along = MemoryAlongStream(Config(), stream, StopRequest(), [found])
    json.dumps(along.summary(), allow_nan=False)
    assert along.summary()["memory_loss_rise"][0]["rise"] is None


@pytest.fixture(scope="module")
def evolving(tmp_path_factory):
    return run(Config(method="er+ld", **QUICK), out=tmp_path_factory.mktemp("evolving"))


def test_a_result_has_three_moments_with_distance_movement_and_rise_of_the_loss(evolving):
    distances, rises = evolving.result["memory_distance"], evolving.result["memory_loss_rise"]
    assert [moment["batch"] for moment in distances] == [8, 17, 25]
    assert [moment["batch"] for moment in rises] == [8, 17, 25]
    assert [moment["past_examples"] for moment in distances] == [80, 170, 250]
    assert all(-2 <= moment[name] <= 2 for moment in distances for name in ("raw", "evolved"))
    for moment in rises:
        assert moment["rise"] == moment["after"] - moment["before"]
        assert 0.25 < moment["moved"] < 0.4  # five steps at rate 0.01: noise of 0.316


def test_without_a_flow_nothing_has_evolved_and_without_a_memory_there_is_nothing(tmp_path):
    plain = run(Config(method="er", **QUICK), out=tmp_path).result
    assert [moment["evolved"] for moment in plain["memory_distance"]] == [None] * 3
    assert plain["memory_loss_rise"] == []
    forgetful = run(Config(method="fine-tuning", scale=0.1), out=tmp_path).result
    assert forgetful["memory_distance"] == forgetful["memory_loss_rise"] == []
    assert forgetful["memory_loss"] == []


def test_no_other_number_of_a_run_changes(evolving, tmp_path, monkeypatch):
    monkeypatch.setattr(MemoryAlongStream, "measure", lambda *arguments: None)
    monkeypatch.setattr("evoreplay.running.evaluation.memory_loss", lambda learner: None)
    without = run(Config(method="er+ld", **QUICK), out=tmp_path)
    assert without.result["memory_distance"] == without.result["memory_loss"] == []
    ours = {"memory_distance", "memory_loss_rise", "memory_loss", "seconds", "seconds_per_step"}
    for name, value in without.result.items():
        if name not in ours:
            assert value == evolving.result[name], name
    for name in ("model.safetensors", "memory.safetensors"):
        first, second = (
            hashlib.sha256((outcome.path / name).read_bytes()).hexdigest()
            for outcome in (without, evolving)
        )
        assert first == second


def test_a_run_stopped_in_the_middle_of_measuring_ends_with_the_same_numbers(
    evolving, tmp_path, monkeypatch
):
    config = Config(method="er+ld", **QUICK)
    evolve, calls = MemoryEvolution.of, []

    def stopping(self, slots):
        calls.append(slots)
        if len(calls) in (2, 6):  # measuring at 8, and in the snapshot at 17
            signal.raise_signal(signal.SIGTERM)
        return evolve(self, slots)

    monkeypatch.setattr(MemoryEvolution, "of", stopping)
    positions = []
    for _ in range(2):
        with pytest.raises(Interrupted):
            run(config, out=tmp_path)
        (path,) = tmp_path.iterdir()
        positions.append(newest_state(path / "checkpoints")[1]["position"])
    assert positions == [8, 17]
    result = run(config, out=tmp_path).result
    times = ("seconds", "seconds_per_step")
    assert {k: v for k, v in result.items() if k not in times} == {
        k: v for k, v in evolving.result.items() if k not in times
    }


def test_rows_are_the_same_to_the_last_bit():
    x = torch.tensor([[1, 2], [3, 4], [1, 2]], dtype=torch.uint8)
    y = torch.tensor([[3, 4], [1, 3], [1, 2], [3, 4]], dtype=torch.uint8)
    first, second = [False, False, True, False], [True, False, False, True]
    assert same_rows(x, y).tolist() == [first, second, first]
    floats = torch.tensor([[0.1], [0.1 + 1e-7]])
    assert same_rows(floats, floats).tolist() == [[True, False], [False, True]]
    pictures = torch.arange(16).reshape(2, 2, 2, 2).permute(0, 3, 1, 2)
    assert same_rows(pictures, pictures.contiguous()).tolist() == [[True, False], [False, True]]

"""The questions that finished runs are asked, on small runs of the embedded digits."""

import json
import re
import runpy
import sys
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import pytest
import torch
from scipy import stats

import evoreplay as ev
from evoreplay.datasets import load_dataset
from evoreplay.running.config import as_dict, config_hash
from evoreplay.running.finished import load_finished
from evoreplay.running.protocol import resolved

ANALYSES = Path(__file__).parent.parent / "analyses"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    return ev.run(ev.Config(method="er", memory_size=50), out=out).path


def printed(name, path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name, str(path)])
    runpy.run_path(str(ANALYSES / f"{name}.py"), run_name="__main__")
    return capsys.readouterr().out


def test_without_noise_the_share_taken_for_new_is_counted_from_the_predictions(finished):
    run = load_finished(finished)
    indices = torch.cat(run.experiment.test.segments)
    taken_for_new = runpy.run_path(str(ANALYSES / "noisy_is_old.py"))["taken_for_new"]
    inputs = run.experiment.test.x[indices].double().div(127.5).sub(1).float()
    with torch.no_grad():
        predicted = run.model.eval()(inputs).argmax(dim=1).tolist()
    newest = set(run.experiment.groups[-1])
    expected = sum(label in newest for label in predicted) / len(predicted)
    assert taken_for_new(run, indices, 0.0) == pytest.approx(expected)
    assert 0 < expected < 1


def test_as_trained_each_minibatch_of_ten_is_normalised_by_itself():
    taken_for_new = runpy.run_path(str(ANALYSES / "noisy_is_old.py"))["taken_for_new"]
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(40, 4, generator=generator) + 3
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 4, bias=False))
    model[1].weight.data = torch.randn(4, 4, generator=generator)
    run = SimpleNamespace(
        config=ev.Config(),
        model=model,
        experiment=SimpleNamespace(groups=[[0, 1], [2, 3]], test=SimpleNamespace(x=x)),
    )
    expected = []
    for part in x.split(10):
        normal = (part - part.mean(0)) / (part.var(0, unbiased=False) + 1e-5).sqrt()
        scores = normal @ model[1].weight.T
        expected += [int(row.argmax()) >= 2 for row in scores]
    before = model[0].running_mean.clone()
    share = pytest.approx(sum(expected) / 40)
    assert taken_for_new(run, torch.arange(40), 0.0, "as trained") == share
    assert taken_for_new(run, torch.arange(40), 0.0) != share
    assert model[0].running_mean.equal(before)


def test_a_network_drowned_in_noise_no_longer_tells_old_from_new(finished):
    run = load_finished(finished)
    taken_for_new = runpy.run_path(str(ANALYSES / "noisy_is_old.py"))["taken_for_new"]
    old, new = torch.cat(run.experiment.test.segments[:-1]), run.experiment.test.segments[-1]
    clean, noisy = (
        taken_for_new(run, new, d) - taken_for_new(run, old, d) for d in (0.0, 1000.0)
    )  # fmt: skip
    assert clean > 0.3 > abs(noisy)


def test_a_run_has_a_line_of_four_shares_for_each_way_to_normalise(finished, capsys, monkeypatch):
    lines = printed("noisy_is_old", finished, capsys, monkeypatch).splitlines()
    assert "std 0.316" in lines[0]
    shares = [re.findall(r"\d+\.\d", line) for line in lines[2:]]
    assert [finished.name in line for line in lines] == [False, False, True, True]
    assert all(0 <= float(share) <= 100 for line in shares for share in line)
    # the digits' network has no BatchNorm: both ways are one
    assert len(shares[0]) == 4
    assert shares[0] == shares[1]


def test_small_steps_move_less_than_noise_and_still_make_examples_harder(
    finished, capsys, monkeypatch
):
    lines = printed("aligned_gradients", finished, capsys, monkeypatch).splitlines()[1:]
    numbers = {
        line[:26].strip(): [float(value) for value in re.findall(r"-?\d+\.\d+", line[26:])]
        for line in lines
    }
    cosine, _, _, moved = numbers["noise alone"]
    assert moved == pytest.approx((2 * 0.01 * 5) ** 0.5, rel=0.05)
    small = numbers["small steps, beta 0"]
    # two steps of RMS 0.005 each
    assert 0 < small[3] <= 0.0101
    # at a thirtieth of the distance the gradient is turned less
    assert small[0] > cosine
    assert small[2] > 0


def test_cosines_of_several_networks_are_compared_network_by_network(
    finished, tmp_path, capsys, monkeypatch
):
    other = ev.run(ev.Config(method="er", memory_size=50, seed=1), out=tmp_path).path
    monkeypatch.setattr(sys, "argv", ["aligned", str(finished), str(other)])
    runpy.run_path(str(ANALYSES / "aligned_gradients.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    cosines = {}
    for line in lines[:12]:
        if " cosine " in line:
            cosines.setdefault(line[:26].strip(), []).append(float(line.split()[-7]))
    assert len(lines) == 15
    assert all(line.endswith("(n = 2)") for line in lines[12:])
    first, second = (
        a - b for a, b in zip(cosines["langevin, beta 0.003"], cosines["noise alone"], strict=True)
    )
    line = lines[13].replace("\N{MINUS SIGN}", "-")
    assert line.startswith("cosine, langevin, beta 0.003 minus noise alone: ")
    mean, low, high = (float(value) for value in re.findall(r"[+-]?\d\.\d{4}", line))
    # each cosine is printed with three digits
    assert mean == pytest.approx((first + second) / 2, abs=0.0011)
    # half the interval of two values is t |a - b| / 2, t = 12.706 with one degree of freedom
    half = 12.706 * abs(first - second) / 2
    assert high - low == pytest.approx(2 * half, abs=12.706 * 0.003)
    assert low < mean < high


def test_the_effective_rank_counts_the_directions_in_which_features_spread():
    effective_rank = runpy.run_path(str(ANALYSES / "spread_of_features.py"))["effective_rank"]
    axes = torch.eye(6)[:4]
    evenly_spread = torch.cat([axes, -axes]) + 7
    assert effective_rank(evenly_spread) == pytest.approx(4)
    assert effective_rank(torch.arange(5.0)[:, None] * torch.ones(1, 3)) == pytest.approx(1)
    # variances 9 and 1 on two axes: exp(-0.9 log 0.9 - 0.1 log 0.1)
    unequal = torch.tensor([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert effective_rank(unequal) == pytest.approx(0.9**-0.9 * 0.1**-0.1)


def test_a_run_has_the_size_and_the_rank_of_each_layer(finished, capsys, monkeypatch):
    run = load_finished(finished)
    hidden = next(
        name for name, part in run.model.named_modules() if isinstance(part, torch.nn.ReLU)
    )
    monkeypatch.setattr(sys, "argv", ["spread", str(finished), "--layers", hidden])
    runpy.run_path(str(ANALYSES / "spread_of_features.py"), run_name="__main__")
    line = capsys.readouterr().out.splitlines()[-1]
    size, rank = (float(number) for number in line.removeprefix(finished.name).split())
    test = run.experiment.test
    inputs = test.x[torch.cat(test.segments)].double().div(127.5).sub(1).float()
    layers = dict(run.model.named_modules())
    found = []
    layers[hidden].register_forward_hook(lambda _m, _i, output: found.append(output))
    with torch.no_grad():
        run.model.eval()(inputs)
    assert size == pytest.approx(float((found[0] ** 2).mean() ** 0.5), abs=0.006)
    spectrum = torch.linalg.eigvalsh(torch.cov(found[0].double().T)).clamp(min=1e-12)
    shares = spectrum / spectrum.sum()
    assert rank == pytest.approx(float((-(shares * shares.log()).sum()).exp()), abs=0.06)


def normalising_run(stream, held):
    """A run of one normalising layer, which is all that running averages concern."""
    x = stream.reshape(-1, 1)
    return SimpleNamespace(
        config=ev.Config(replay_size=len(held)),
        model=torch.nn.BatchNorm1d(1, momentum=0.5),
        experiment=SimpleNamespace(
            stream=SimpleNamespace(x=x, order=torch.arange(len(x)), batch_size=4)
        ),
    ), {"x": held.reshape(-1, 1)}


def test_running_averages_see_each_batch_of_the_stream_and_then_memory_with_its_noise():
    with_statistics = runpy.run_path(str(ANALYSES / "running_statistics.py"))["with_statistics"]
    run, memory = normalising_run(torch.arange(8.0), torch.tensor([10.0, 20.0, 30.0, 40.0]))
    clean, noisy = (with_statistics(run, memory, deviation) for deviation in (0.0, 100.0))
    mean, variance = 0.0, 1.0
    for batch in ([0, 1, 2, 3], [10, 20, 30, 40], [4, 5, 6, 7], [10, 20, 30, 40]):
        mean = (mean + sum(batch) / 4) / 2
        centre = sum(batch) / 4
        variance = (variance + sum((x - centre) ** 2 for x in batch) / 3) / 2
    assert float(clean.running_mean) == pytest.approx(mean)
    assert float(clean.running_var) == pytest.approx(variance)
    assert float(noisy.running_var) > 5 * variance
    assert float(run.model.running_mean) == 0


def test_without_normalising_layers_the_statistics_change_nothing(finished, capsys, monkeypatch):
    lines = printed("running_statistics", finished, capsys, monkeypatch).splitlines()
    shares = [re.findall(r"\d+\.\d", line) for line in lines[1:]]
    assert len(shares) == 3
    assert shares[0] == shares[1] == shares[2]
    run = load_finished(finished)
    test, indices = run.experiment.test, torch.cat(run.experiment.test.segments)
    inputs = test.x[indices].double().div(127.5).sub(1).float()
    with torch.no_grad():
        right = run.model.eval()(inputs).argmax(dim=1) == test.y[indices]
    assert shares[0][0] == f"{100 * right.double().mean():.1f}"


def test_the_share_of_moments_at_which_memory_is_unknown_is_counted_after_two_segments(
    tmp_path, capsys, monkeypatch
):
    losses = {10: 9.0, 20: 9.0, 30: 0.5, 40: 1.5, 50: 1.0, 60: 2.5}
    config = as_dict(resolved(ev.Config(method="er", precision="float32", device="cpu")))
    entry = {
        "config": config,
        "config_hash": config_hash(ev.Config(**config)),
        "final_accuracy": 0.5,
        "examples_per_segment": [100] * 6,
        "memory_loss": [{"batch": b, "loss": v, "accuracy": 0.1} for b, v in losses.items()],
    }
    (tmp_path / "results.json").write_text(json.dumps([entry]))
    line = printed("unknown_memory", tmp_path / "results.json", capsys, monkeypatch).splitlines()[1]
    assert line.split() == ["er", "s0", "50", "(2.50)"]


def test_the_picture_of_gains_has_each_flow_beside_its_method_its_noise_and_the_paper(
    tmp_path, capsys, monkeypatch
):
    results = ANALYSES.parent / "docs" / "results" / "cifar10.json"
    gains = runpy.run_path(str(ANALYSES / "gains_picture.py"))["gains"](results)
    by_row = {}
    for entry in json.loads(results.read_text()):
        config, accuracy = entry["config"], 100 * entry["final_accuracy"]
        if config["recipe"] == "paper" and config["statistics"] == "raw":
            row = (entry["method"], config["match"], config["replay_size"])
            by_row.setdefault(row, {})[entry["seed"]] = accuracy
    ours = by_row["er+ld", "langevin", 10]
    (gain,) = (gain for gain in gains if gain.label == "er+ld recipe=paper")
    for other, found in (("er", gain.to_method), ("er+noise", gain.to_noise)):
        theirs = by_row[other, "langevin", 10]
        differences = [ours[seed] - theirs[seed] for seed in ours.keys() & theirs.keys()]
        interval = stats.ttest_1samp(differences, 0).confidence_interval()
        expected = [len(differences), fmean(differences), *interval]
        assert [found.n, found.mean, found.low, found.high] == pytest.approx(expected)
    assert gain.paper == pytest.approx(37.6 - 33.3)
    default = next(gain for gain in gains if gain.label == "er+ld, the default")
    assert default.paper is None
    assert default.to_method.n == 10
    picture = tmp_path / "gains.svg"
    monkeypatch.setattr(sys, "argv", ["gains_picture", str(results), str(picture)])
    runpy.run_path(str(ANALYSES / "gains_picture.py"), run_name="__main__")
    assert picture.read_text().rstrip().endswith("</svg>")


def test_the_released_code_cuts_every_task_a_class_too_early_and_drops_the_last_class():
    released = runpy.run_path(str(ANALYSES / "released_split.py"))
    labels = torch.arange(10).repeat(4)[torch.randperm(40)]
    tasks = released["released_tasks"](labels.numpy(), 10, 5)
    counts = [released["classes_of"](labels[task]) for task in tasks]
    assert counts == [
        {0: 4, 1: 1},
        {1: 3, 2: 4, 3: 1},
        {3: 3, 4: 4, 5: 1},
        {5: 3, 6: 4, 7: 1},
        {7: 3, 8: 4, 9: 1},
    ]
    right = released["task_pools"](labels, 10, 5, True)
    assert [sorted(labels[pool].tolist()) for pool in right] == [
        [first] * 4 + [first + 1] * 4 for first in range(0, 10, 2)
    ]


def test_a_method_on_the_released_tasks_holds_no_example_of_the_class_they_drop():
    released = runpy.run_path(str(ANALYSES / "released_split.py"))
    dataset = load_dataset("digits")
    pools = released["released_tasks"](dataset.train_y.numpy(), 10, 5)
    fields = {"method": "er", "memory_size": 100, "precision": "float32", "device": "cpu"}
    learner = released["trained"](resolved(ev.Config(**fields)), dataset, pools)
    held = learner.memory.gather(torch.arange(len(learner.memory))).y
    assert len(held) == 100
    assert set(held.tolist()) >= set(range(8))
    assert int((held == 9).sum()) <= 1
    found = released["accuracies"](learner, dataset.train_x, dataset.train_y, pools)
    assert found[-1] > 0.5
    first = learner.predict(dataset.train_x[pools[0]]) == dataset.train_y[pools[0]]
    assert found[0] == pytest.approx(float(first.double().mean()))

"""The protocol on real data (EVOREPLAY_DATA), and its full sizes on made-up labels."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import torch

from evoreplay import Config, Langevin, UserError, run
from evoreplay.datasets import Dataset
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import prepare_experiment

DATA = os.environ.get("EVOREPLAY_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="EVOREPLAY_DATA is not set: real CIFAR-10 and mini-ImageNet are not here"
)


def digest(tensor):
    return hashlib.sha256(tensor.numpy().astype("<i8").tobytes()).hexdigest()[:16]


def assert_each_segment_has_its_own_classes(experiment, width):
    stream = experiment.stream
    begin = 0
    for number, end in enumerate(stream.segment_ends):
        own = list(range(number * width, (number + 1) * width))
        train = stream.y[stream.order[begin * 10 : end * 10]]
        assert train.unique().tolist() == own
        for part in (experiment.validation, experiment.test):
            assert part.y[part.segments[number]].unique().tolist() == own
        begin = end


@needs_data
def test_cifar10_has_950_batches_a_task_500_validation_and_2000_test_images():
    experiment = prepare_experiment(resolved(Config(dataset="cifar10")))
    assert experiment.stream.segment_ends == (950, 1900, 2850, 3800, 4750)
    assert [len(s) for s in experiment.validation.segments] == [500] * 5
    assert [len(s) for s in experiment.test.segments] == [2000] * 5
    assert experiment.dataset.subset is None
    assert experiment.dataset.train_x.dtype == torch.uint8
    assert_each_segment_has_its_own_classes(experiment, 2)


@needs_data
def test_split_order_and_batches_of_cifar10_are_the_same_on_every_machine():
    experiment = prepare_experiment(resolved(Config(dataset="cifar10", seed=0)))
    assert digest(experiment.stream.order) == "9c24ee1b8a55dfd8"
    assert digest(torch.cat(experiment.validation.segments)) == "6f974aa9f185b29a"
    x, _ = next(iter(experiment.stream))
    assert hashlib.sha256(x.numpy().tobytes()).hexdigest()[:16] == "f3cb375dbaef26d5"
    other = prepare_experiment(resolved(Config(dataset="cifar10", seed=1)))
    assert digest(other.stream.order) != "9c24ee1b8a55dfd8"


@needs_data
def test_blurry_cifar10_delivers_every_training_example_once():
    experiment = prepare_experiment(resolved(Config(dataset="cifar10", stream="blurry")))
    assert len(experiment.stream.order.unique()) == 47_500


@needs_data
def test_the_mini_imagenet_subset_has_722_38_and_190_a_task_and_is_marked(tmp_path):
    experiment = prepare_experiment(resolved(Config(dataset="mini-imagenet")))
    # 722 training images are 72 whole batches
    assert experiment.stream.segment_ends[0] == 72
    assert [len(s) for s in experiment.validation.segments] == [38] * 20
    assert [len(s) for s in experiment.test.segments] == [190] * 20
    assert_each_segment_has_its_own_classes(experiment, 5)
    assert experiment.dataset.subset == "15200 of 48000 training and 3800 of 12000 test images"


@needs_data
def test_the_subset_is_marked_in_the_result(tmp_path):
    config = Config(dataset="mini-imagenet", method="fine-tuning", model="mlp", scale=0.01)
    outcome = run(config, out=tmp_path)
    written = json.loads((outcome.path / "result.json").read_text())
    assert written["subset"].startswith("15200 of 48000")


@needs_data
def test_cifar100_never_picks_its_sample_by_itself():
    with pytest.raises(UserError, match="evoreplay data fetch cifar100"):
        prepare_experiment(resolved(Config(dataset="cifar100")))
    sample = Path(DATA) / "cifar100_sample"
    experiment = prepare_experiment(resolved(Config(dataset=f"parquet:{sample}", segments=20)))
    assert experiment.dataset.classes == 100


@pytest.mark.parametrize(
    ("name", "train", "test", "sizes"),
    [("cifar100", 500, 100, (2375, 125, 500)), ("mini-imagenet", 480, 120, (2280, 120, 600))],
)
def test_full_sizes_of_the_hundred_class_datasets(name, train, test, sizes, monkeypatch):
    def made_up(name, data=None):
        train_y, test_y = (torch.arange(100).repeat_interleave(n) for n in (train, test))
        x = torch.zeros(1, 1, dtype=torch.uint8)
        return Dataset(name, x, train_y, x, test_y, classes=100, natural=True)

    monkeypatch.setattr("evoreplay.running.setup.load_dataset", made_up)
    experiment = prepare_experiment(resolved(Config(dataset=name)))
    training, validation, testing = sizes
    assert len(experiment.stream.segment_ends) == 20
    assert experiment.stream.segment_ends[0] == training // 10
    assert {len(s) for s in experiment.validation.segments} == {validation}
    assert {len(s) for s in experiment.test.segments} == {testing}
    assert_each_segment_has_its_own_classes(experiment, 5)


@needs_data
def test_flows_at_the_papers_rate_are_noise_or_nothing_on_real_images():
    # SPEC section 3: after five steps Langevin's noise has std 0.316
    experiment = prepare_experiment(resolved(Config(dataset="cifar10")))
    x, _ = next(iter(experiment.stream))
    moved = Langevin().evolve(
        x.float() / 127.5 - 1, torch.zeros_like, generator=torch.Generator().manual_seed(0)
    )
    assert abs(float((moved - (x.float() / 127.5 - 1)).std()) - 0.316) < 0.01

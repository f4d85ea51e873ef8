import hashlib
import json

import pytest
import torch

from evoreplay import Config, UserError
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import make_model, prepare_experiment
from shared.text_files import write_rows


def experiment_of(**settings):
    return prepare_experiment(resolved(Config(**settings)))


def test_training_validation_and_test_are_disjoint_and_of_the_protocols_shares():
    experiment = experiment_of()
    total = len(experiment.dataset.train_y)
    validation = torch.cat(experiment.validation.segments)
    test = torch.cat(experiment.test.segments)
    used = torch.cat([experiment.stream.order, validation, test])
    assert len(used.unique()) == len(used)
    assert abs(len(test) / total - 0.20) < 0.01
    assert abs(len(validation) / total - 0.04) < 0.01
    # short batches are dropped
    assert 0 <= total - len(used) < 5 * 10


def test_every_segment_of_every_part_holds_its_own_classes():
    experiment = experiment_of()
    for part in (experiment.validation, experiment.test):
        for number, indices in enumerate(part.segments):
            assert part.y[indices].unique().tolist() == [2 * number, 2 * number + 1]


def test_two_methods_with_one_seed_see_the_same_stream_and_initial_weights():
    first, second = (experiment_of(method=m, seed=3) for m in ("er", "er+hmc"))
    assert torch.equal(first.stream.order, second.stream.order)
    models = [
        make_model(resolved(Config(method=m, seed=3, rate=r)), first.dataset)
        for m, r in (("er", 0.1), ("er+hmc", 0.2))
    ]
    assert all(torch.equal(a, b) for a, b in zip(*(m.parameters() for m in models), strict=True))


def test_another_seed_is_another_stream_and_other_weights():
    first, second = experiment_of(seed=0), experiment_of(seed=1)
    assert not torch.equal(first.stream.order, second.stream.order)
    weights = [make_model(resolved(Config(seed=s)), first.dataset).head.weight for s in (0, 1)]
    assert not torch.equal(*weights)


def test_the_stream_is_the_same_on_every_machine():
    order = experiment_of(seed=0).stream.order.numpy().astype("<i8").tobytes()
    assert hashlib.sha256(order).hexdigest()[:16] == "7ae9d8546f6ad0ae"


def test_an_unknown_model_is_refused():
    dataset = experiment_of().dataset
    with pytest.raises(UserError, match="did you mean 'resnet18'"):
        make_model(resolved(Config(model="resnet")), dataset)


def test_settings_can_be_chosen_without_a_look_at_the_test_images():
    usual, choosing = experiment_of(), experiment_of(measured_on="validation")
    assert torch.equal(usual.stream.order, choosing.stream.order)
    looked_at = torch.cat(choosing.test.segments)
    assert sorted(looked_at.tolist()) == sorted(torch.cat(usual.validation.segments).tolist())
    assert not set(looked_at.tolist()) & set(torch.cat(usual.test.segments).tolist())


@pytest.fixture
def texts_of_three_domains(tmp_path):
    rows = [{"text": f"word {n} of {c}", "label": c} for c in "abcdef" for n in range(40)]
    write_rows(tmp_path / "train.jsonl", rows)
    domains = {"one": ["f", "a"], "two": ["b", "c"], "three": ["d", "e"]}
    (tmp_path / "domains.json").write_text(json.dumps(domains))
    return f"text:{tmp_path}"


@pytest.mark.parametrize("settings", [{}, {"segments": 3}])
def test_domains_of_texts_are_the_segments(texts_of_three_domains, settings):
    experiment = experiment_of(dataset=texts_of_three_domains, **settings)
    assert experiment.groups == [[5, 0], [1, 2], [3, 4]]


def test_another_number_of_segments_than_there_are_domains_is_refused(texts_of_three_domains):
    with pytest.raises(UserError, match=r"segments is 2, but .* has 3 domains"):
        experiment_of(dataset=texts_of_three_domains, segments=2)


def test_texts_without_domains_have_five_segments_or_as_many_as_asked_for(tmp_path):
    rows = [{"text": f"word {n} of {c}", "label": c} for c in "abcdef" for n in range(40)]
    dataset = f"text:{write_rows(tmp_path / 'rows.jsonl', rows)}"
    assert len(experiment_of(dataset=dataset).groups) == 5
    assert len(experiment_of(dataset=dataset, segments=2).groups) == 2


def test_more_segments_than_classes_are_refused():
    with pytest.raises(UserError, match="segments is 20, but digits has 10 classes"):
        experiment_of(segments=20)

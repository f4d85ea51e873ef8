import pytest

from evoreplay import Config, UserError
from evoreplay.learners.replay_weights import RECIPES
from evoreplay.running.config import run_name
from evoreplay.running.protocol import resolved


def test_what_is_left_open_comes_from_the_dataset():
    config = resolved(Config(dataset="digits"))
    assert (config.memory_size, config.updates, config.rate) == (100, 1, 0.01)
    assert config.model == "mlp"
    assert config.device in ("cpu", "cuda", "mps")
    assert config.precision in ("float32", "bfloat16")


def test_what_is_given_stays():
    config = resolved(Config(memory_size=7, rate=0.0, updates=2))
    assert (config.memory_size, config.rate, config.updates) == (7, 0.0, 2)


def test_texts_evolve_as_embeddings_and_images_as_inputs():
    assert resolved(Config(dataset="clinc150")).space == "embedding"
    assert resolved(Config(dataset="text:a.csv")).space == "embedding"
    assert resolved(Config(dataset="cifar10", recipe="reference")).space == "input"
    assert resolved(Config(dataset="cifar10", space="layer2")).space == "layer2"


@pytest.mark.parametrize("able", [True, False])
def test_auto_precision_follows_what_the_hardware_can_do(able, monkeypatch):
    monkeypatch.setattr("evoreplay.running.protocol.cpu_computes_in_bfloat16", lambda: able)
    config = resolved(Config(device="cpu", precision="auto"))
    assert config.precision == ("bfloat16" if able else "float32")
    # bfloat16 cost accuracy where it was measured: nobody gets it unasked
    assert resolved(Config(device="cpu")).precision == "float32"
    assert resolved(Config(device="cpu", precision="float32")).precision == "float32"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"dataset": "digit"}, "did you mean 'digits'"),
        ({"method": "err"}, "did you mean 'er'"),
        ({"seed": -1}, "seed is -1; give 0 or more"),
        ({"scale": 0.0}, "scale is 0.0"),
        ({"lr": 0.0}, "lr is 0.0"),
        ({"batch_size": 0}, "batch_size is 0; give 1 or more"),
        ({"replay_size": 0}, "replay_size is 0; give 1 or more"),
        ({"method": "mir", "candidates": -5}, "candidates is -5; give 1 or more"),
        ({"method": "agem", "reference": 0}, "reference is 0; give 1 or more"),
        ({"segments": 0}, "segments is 0; give 1 or more"),
        ({"device": "cuda"}, "device 'cuda' is not available"),
        ({"dataset": "clinc150", "space": "input"}, "the tokens of a text cannot move"),
        ({"dataset": "text:a.csv", "method": "er-aug"}, "augmentation turns, scales and shifts"),
        ({"dataset": "clinc150", "transforms": ("augment",)}, "no sense of texts"),
        ({"method": "er", "evolve_stream": True}, "er has no flow by which the stream batch"),
        ({"method": "agem", "evolve_stream": True}, "agem has no flow"),
        ({"method": "iid-online", "evolve_stream": True}, "iid-online has no flow"),
        ({"dataset": "clinc150", "input_rate": 0.01}, "tokens of a text cannot move; leave it out"),
        ({"method": "er", "input_rate": 0.01}, "er has no flow beside which the input"),
        ({"method": "er+ld", "input_rate": 0.01}, "name a layer, for instance space=layer3"),
    ],
)
def test_what_cannot_be_run_is_refused(settings, words):
    with pytest.raises(UserError, match=words):
        resolved(Config(**settings))


@pytest.mark.parametrize("method", ["er", "er-x2", "mir", "fine-tuning", "iid-online"])
def test_without_a_flow_every_recipe_is_the_same_run(method):
    assert len({run_name(resolved(Config(method=method, recipe=name))) for name in RECIPES}) == 1


def test_with_a_flow_every_recipe_is_another_run():
    names = {run_name(resolved(Config(method="er+ld", recipe=name))) for name in RECIPES}
    assert len(names) == len(RECIPES)


@pytest.mark.parametrize("method", ["er", "er+ld"])
def test_an_unknown_recipe_is_refused_with_the_nearest_name(method):
    with pytest.raises(UserError, match="did you mean 'reference'"):
        resolved(Config(method=method, recipe="referenc"))

"""Texts: kept as tokens, moved as embeddings."""

import pytest
import torch

from evoreplay import (
    Augmentation,
    Editing,
    Hamiltonian,
    Langevin,
    MaximallyInterferedRetrieval,
    MemoryEnergy,
    Noise,
    Stein,
    UserError,
)
from evoreplay.checks import same
from evoreplay.models import TextClassifier
from shared.small_learner import learner_on_a_layer, text_batch


@pytest.mark.parametrize("layer", ["embedding", "attention", "pooled", "linear"])
def test_zero_steps_are_plain_replay_to_the_byte_for_texts(layer):
    models = []
    for options in ({"space": None}, {"evolution": Langevin(steps=0), "space": layer}):
        torch.manual_seed(0)
        models.append(TextClassifier(30, 4, width=8))
        learner = learner_on_a_layer(models[-1], energy=MemoryEnergy(alignment=0), **options)
        for number in range(4):
            learner.observe(*text_batch(number))
    assert same(models[0].state_dict(), models[1].state_dict())


@pytest.mark.parametrize(
    "part",
    [
        {"evolution": Langevin()},
        {"evolution": Langevin(), "energy": MemoryEnergy(alignment=0)},
        {"evolution": Noise()},
        {"transforms": [Editing()]},
    ],
)
def test_tokens_cannot_move_and_the_message_says_what_can(part):
    torch.manual_seed(0)
    learner = learner_on_a_layer(TextClassifier(30, 4, width=8), space=None, **part)
    learner.observe(*text_batch(0))
    with pytest.raises(UserError, match=r"int16 cannot move; .*split_at\(model, 'embedding'\)"):
        learner.observe(*text_batch(1))


def test_tokens_are_not_augmented():
    learner = learner_on_a_layer(
        TextClassifier(30, 4, width=8), space="embedding", transforms=[Augmentation()]
    )
    learner.observe(*text_batch(0))
    with pytest.raises(UserError, match="augmentation needs images"):
        learner.observe(*text_batch(1))


TEXT_PARTS = {
    "er": {},
    "langevin": {"evolution": Langevin(steps=2)},
    "stein": {"evolution": Stein(steps=2), "write_back": True},
    "hamiltonian": {"evolution": Hamiltonian(steps=3), "recipe": "reference"},
    "gmed": {"transforms": [Editing()], "evolution": Noise()},
    "mir": {"retrieval": MaximallyInterferedRetrieval(3, candidates=6), "forward": "joint"},
}


@pytest.mark.parametrize("name", TEXT_PARTS)
def test_texts_are_learned_kept_as_tokens_and_moved_as_embeddings(name):
    torch.manual_seed(0)
    learner = learner_on_a_layer(
        TextClassifier(30, 4, width=8), **{"space": "embedding", **TEXT_PARTS[name]}
    )
    losses = [learner.observe(*text_batch(number % 3)).stream_loss for number in range(40)]
    assert losses[-1] < losses[0]
    held = learner.memory.gather(torch.arange(8))
    assert held.x.dtype == torch.int16
    assert (held.delta is None) is (name not in ("stein", "gmed"))
    if held.delta is not None:
        assert held.delta.shape == (8, 6, 8)
        assert held.delta.dtype == torch.float32

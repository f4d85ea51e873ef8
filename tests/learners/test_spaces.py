"""Evolution on the features of a layer: what is replayed, what learns from it, what is kept."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import (
    Augmentation,
    Editing,
    GradientSelectionMemory,
    Hamiltonian,
    Langevin,
    MaximallyInterferedRetrieval,
    MemoryEnergy,
    Noise,
    ReplayLearner,
    ReservoirMemory,
    ResNet18,
    Split,
    Stein,
    UniformRetrieval,
    UserError,
    split_at,
)
from evoreplay.checks import LEARNER_CHECKS, example_batch, example_model, same
from evoreplay.models import in_channels_last
from shared.small_learner import (
    LAYER,
    Shift,
    learner_on_a_layer,
    small_net,
)


def replay(**options):
    def maker(model):
        options.setdefault("memory", lambda: ReservoirMemory(12))
        parts = {**options, "memory": options["memory"]()}
        return ReplayLearner(
            model,
            torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
            **{"retrieval": UniformRetrieval(4), "seed": 5, "space": LAYER, **parts},
        )

    return maker


MAKERS = {
    "er": replay(),
    "langevin paper": replay(evolution=Langevin(steps=2), recipe="paper"),
    "langevin reference": replay(evolution=Langevin(steps=2), recipe="reference"),
    "langevin joint": replay(evolution=Langevin(steps=2), forward="joint"),
    "langevin all, kept": replay(
        evolution=Langevin(steps=2), statistics="all", write_back=True, recipe="paper"
    ),
    "normalised": replay(evolution=Langevin(steps=2, step="normalised")),
    "stein, kept": replay(evolution=Stein(steps=2), write_back=True),
    "hamiltonian": replay(evolution=Hamiltonian(steps=3), energy=MemoryEnergy(alignment=0)),
    "noise": replay(evolution=Noise()),
    "a step of the input beside": replay(evolution=Langevin(steps=2), input_rate=0.1),
    "the same without g'": replay(
        evolution=Langevin(steps=2), energy=MemoryEnergy(alignment=0), input_rate=0.1
    ),
    "noise in the input beside": replay(evolution=Noise(), input_rate=0.1),
    "augmented, beside": replay(
        transforms=[Augmentation()], evolution=Langevin(steps=1), input_rate=0.1
    ),
    "gmed joint, beside": replay(
        transforms=[Editing()], evolution=Stein(steps=1), forward="joint", input_rate=0.1
    ),
    "exact": replay(evolution=Langevin(steps=1), energy=MemoryEnergy(mode="exact")),
    "central": replay(evolution=Langevin(steps=1), energy=MemoryEnergy(mode="central")),
    "bfloat16": replay(evolution=Langevin(steps=1), precision="bfloat16"),
    "gmed": replay(transforms=[Editing()]),
    "gmed joint": replay(transforms=[Editing()], evolution=Stein(steps=1), forward="joint"),
    "gmed, mir": replay(
        transforms=[Editing()],
        evolution=Langevin(steps=1),
        retrieval=MaximallyInterferedRetrieval(3, candidates=6),
        updates=2,
    ),
    "gss": replay(memory=lambda: GradientSelectionMemory(12), transforms=[Editing()]),
    "augmented": replay(transforms=[Editing(), Augmentation()], evolution=Langevin(steps=1)),
    "augmented er": replay(transforms=[Editing(), Augmentation()]),
    "on the logits": replay(evolution=Langevin(steps=2), space="5"),
    "on the logits, exact": replay(
        evolution=Langevin(steps=2), space="5", energy=MemoryEnergy(mode="exact")
    ),
}


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MAKERS)
def test_every_learner_passes_the_generic_checks_in_a_latent_space(name, check):
    check(MAKERS[name])


@pytest.mark.parametrize("layer", [None, "0", "1", "2", "3", "5"])
@pytest.mark.parametrize("flow", [Langevin, Stein, Hamiltonian], ids=lambda flow: flow.__name__)
@pytest.mark.parametrize("recipe", ["paper", "reference"])
def test_zero_steps_of_evolution_are_plain_replay_to_the_byte_in_every_space(layer, flow, recipe):
    # the reference recipe replays raw and unmoved: twice the weight
    plain, evolving = example_model(), example_model()
    er = learner_on_a_layer(plain, raw_weight=1.0, space=None)
    weights = {} if recipe == "paper" else {"raw_weight": 1.0, "evolved_weight": 0.0}
    learner = learner_on_a_layer(
        evolving,
        evolution=flow(steps=0),
        energy=MemoryEnergy(alignment=0),
        space=layer,
        **weights,
    )
    # dropout draws differ with the number of forwards, so compare without it
    for model in (plain, evolving):
        model[4].p = 0.0
    for number in range(5):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
    assert same(plain.state_dict(), evolving.state_dict())


@pytest.mark.parametrize(
    ("layer", "precision"),
    [
        ("layer1", "float32"),
        ("layer2", "float32"),
        ("layer3", "float32"),
        ("layer3", "bfloat16"),
        ("layer4", "float32"),
    ],
)
def test_zero_steps_are_plain_replay_to_the_byte_at_every_stage_of_the_resnet(layer, precision):
    models = []
    for options in ({}, {"evolution": Langevin(steps=0), "space": layer}):
        torch.manual_seed(0)
        models.append(in_channels_last(ResNet18(3, width=8)))
        options.setdefault("space", None)
        energy = MemoryEnergy(alignment=0)
        learner = learner_on_a_layer(
            models[-1], lr=0.01, energy=energy, precision=precision, **options
        )
        generator = torch.Generator().manual_seed(1)
        for _ in range(3):
            x = torch.randint(256, (4, 3, 32, 32), generator=generator, dtype=torch.uint8)
            learner.observe(x, torch.randint(3, (4,), generator=generator))
    assert same(models[0].state_dict(), models[1].state_dict())


@pytest.mark.parametrize("recipe", ["paper", "reference"])
@pytest.mark.parametrize("alignment", [0.0, 0.003])
@pytest.mark.parametrize("layer", ["0", "1", "2", "3"])
def test_running_statistics_see_stream_and_raw_replay_once_each_and_nothing_evolved(
    recipe, alignment, layer
):
    plain, evolving = small_net(), small_net()
    er = learner_on_a_layer(plain, lr=0.0, space=None)
    learner = learner_on_a_layer(
        evolving,
        lr=0.0,
        evolution=Langevin(steps=2, rate=0.1),
        recipe=recipe,
        energy=MemoryEnergy(alignment=alignment),
        space=layer,
    )
    for number in range(4):
        er.observe(*example_batch(number))
        learner.observe(*example_batch(number))
    assert same(dict(plain.named_buffers()), dict(evolving.named_buffers()))


def test_write_back_keeps_a_delta_to_the_features_and_goes_on_from_it():
    model = small_net()
    learner = learner_on_a_layer(
        model, memory=ReservoirMemory(2), evolution=Shift(), write_back=True
    )
    learner.observe(*example_batch(0, size=2))
    raw = learner.memory.gather(torch.arange(2)).x
    learner.memory.add = lambda x, y, context=None: None
    for visits in (1, 2, 3):
        step = learner.observe(*example_batch(visits, size=3))
        got = learner.memory.gather(torch.arange(2))
        assert got.delta.shape == (2, 6)
        torch.testing.assert_close(got.delta, torch.full((2, 6), 0.1 * visits))
        assert got.writes.tolist() == [visits, visits]
        assert torch.equal(got.x, raw)
        assert step.moved == pytest.approx(0.1, rel=1e-4)


def test_an_edit_of_features_is_the_finite_difference_of_the_heads_loss():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 3)).double()
    learner = learner_on_a_layer(
        model, lr=0.3, transforms=[Editing(stride=0.7, reg=0.2)], space="0"
    )
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 4, 3, generator=generator, dtype=torch.float64)
    y = torch.randint(3, (2, 4), generator=generator)
    learner.observe(x[0], y[0])
    before, stepped = copy.deepcopy(model), copy.deepcopy(model)
    learner.memory.add = lambda x, y, context=None: None
    learner.observe(x[1], y[1])
    cross_entropy(stepped(x[1]), y[1]).backward()
    torch.optim.SGD(stepped.parameters(), lr=0.3).step()
    z = before[0](x[0]).detach()

    def gradient(net):
        found = torch.zeros_like(z)
        for i in range(z.numel()):
            shift = torch.zeros(z.numel(), dtype=z.dtype)
            shift[i] = 1e-6
            with torch.no_grad():
                up = cross_entropy(net[1:](z + shift.reshape(z.shape)), y[0])
                down = cross_entropy(net[1:](z - shift.reshape(z.shape)), y[0])
            found.view(-1)[i] = (up - down) / 2e-6
        return found

    now, after = gradient(before), gradient(stepped)
    expected = 0.7 * ((after - now) - 0.2 * now)
    delta = learner.memory.gather(torch.arange(4)).delta
    torch.testing.assert_close(delta.double(), expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("written", [False, True])
def test_interference_is_that_of_a_step_of_the_whole_model_on_the_features_as_written(written):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 3)).double()
    memory = ReservoirMemory(6)
    scores = []

    class Watching(MaximallyInterferedRetrieval):
        def select(self, memory, context):
            batch = context.examples(torch.arange(len(memory)))
            before = context.losses(batch.inputs, batch.labels)
            after = context.losses(batch.inputs, batch.labels, at=context.stepped_parameters)
            scores.append(after - before)
            return super().select(memory, context)

    learner = learner_on_a_layer(
        model, lr=0.3, memory=memory, retrieval=Watching(3, candidates=6), space="0"
    )
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 6, 3, generator=generator, dtype=torch.float64)
    y = torch.randint(3, (2, 6), generator=generator)
    learner.observe(x[0], y[0])
    delta = torch.zeros(6, 4)
    if written:
        delta = torch.randn(6, 4, generator=generator)
        memory.write(torch.arange(6), delta)
    held = memory.gather(torch.arange(6))
    before, stepped = copy.deepcopy(model), copy.deepcopy(model)
    learner.observe(x[1], y[1])
    cross_entropy(stepped(x[1]), y[1]).backward()
    torch.optim.SGD(stepped.parameters(), lr=0.3).step()
    losses = [
        cross_entropy(net[1:](net[0](held.x) + delta), held.y, reduction="none")
        for net in (before, stepped)
    ]
    torch.testing.assert_close(scores[0], (losses[1] - losses[0]).detach().float())


def test_a_saved_learner_splits_its_model_again_by_the_name_of_the_layer(tmp_path):
    learner = learner_on_a_layer(
        small_net(), evolution=Langevin(steps=1), retrieval=UniformRetrieval(4)
    )
    learner.observe(*example_batch(0))
    learner.save(tmp_path)
    model = small_net()
    again = ReplayLearner.load(
        tmp_path, model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1)
    )
    assert again.space.layer == LAYER
    assert {id(p) for p in again.space.head.parameters()} <= {id(p) for p in model.parameters()}


def test_a_split_of_ones_own_works_and_is_asked_for_again(tmp_path):
    model = small_net()
    parts = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}
    space = Split(lift=model[:2], head=model[2:])
    learner = ReplayLearner(
        **parts, memory=ReservoirMemory(8), evolution=Langevin(steps=2), space=space, seed=3
    )
    named = small_net()
    other = ReplayLearner(
        named,
        torch.optim.SGD(named.parameters(), lr=0.1),
        memory=ReservoirMemory(8),
        evolution=Langevin(steps=2),
        space=split_at(named, LAYER),
        seed=3,
    )
    for number in range(3):
        learner.observe(*example_batch(number))
        other.observe(*example_batch(number))
    # the dot product finds its gradients whatever the parts call their parameters
    assert same(model.state_dict(), named.state_dict())
    learner.save(tmp_path)
    with pytest.raises(UserError, match=r"space of its own; pass it again: load\(..., space=\)"):
        ReplayLearner.load(tmp_path, **parts)
    assert ReplayLearner.load(tmp_path, **parts, space=space).space is space


def test_a_wrong_split_is_refused_at_the_first_batch_and_nothing_is_learned():
    model = small_net()
    learner = learner_on_a_layer(model, space=Split(lift=model[:2], head=model[3:]))
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(UserError, match=r"is not model\(x\)"):
        learner.observe(*example_batch(0))
    assert same(before, model.state_dict())
    assert len(learner.memory) == 0

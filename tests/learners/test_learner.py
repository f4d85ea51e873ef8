import pytest
import torch
from torch import nn

from evoreplay import (
    FineTuningLearner,
    GeneralFlow,
    Hamiltonian,
    Langevin,
    Noise,
    NonFiniteLossError,
    ReplayLearner,
    ReservoirMemory,
    Stein,
    UniformRetrieval,
    UserError,
)
from evoreplay.checks import LEARNER_CHECKS, example_batch, example_model, same


def replay(**options):
    def make(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        return ReplayLearner(
            model,
            optimizer,
            memory=ReservoirMemory(12),
            retrieval=UniformRetrieval(4),
            seed=5,
            **options,
        )

    return make


MAKERS = {
    "fine-tuning": lambda model: FineTuningLearner(
        model, torch.optim.Adam(model.parameters(), lr=0.01), updates=2
    ),
    "er": replay(),
    "er joint": replay(forward="joint"),
    "langevin paper": replay(evolution=Langevin(steps=2), recipe="paper"),
    "langevin reference": replay(evolution=Langevin(steps=2), recipe="reference", updates=2),
    "langevin joint": replay(evolution=Langevin(steps=2), forward="joint"),
    "langevin all": replay(
        evolution=Langevin(steps=2), statistics="all", write_back=True, recipe="paper"
    ),
    "stein": replay(evolution=Stein(steps=2)),
    "hamiltonian": replay(evolution=Hamiltonian(steps=3)),
    "noise": replay(evolution=Noise()),
    "bfloat16": replay(evolution=Langevin(steps=1), precision="bfloat16"),
}


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MAKERS)
def test_every_learner_passes_the_generic_checks(name, check):
    check(MAKERS[name])


def test_uint8_is_scaled_to_minus_one_and_one_and_floats_are_left_alone():
    seen = []

    class Watch(nn.Linear):
        def forward(self, x):
            seen.append(x)
            return super().forward(x)

    learner = FineTuningLearner(Watch(2, 3), torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=1))
    learner.predict(torch.tensor([[0, 255]], dtype=torch.uint8))
    learner.predict(torch.tensor([[0.25, 7.0]]))
    assert seen[0].tolist() == [[-1.0, 1.0]]
    assert seen[1].tolist() == [[0.25, 7.0]]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_inputs_that_are_not_finite_are_refused(value):
    learner = MAKERS["er"](nn.Sequential(nn.Flatten(), nn.Linear(2, 3)))
    with pytest.raises(UserError, match="infinite or NaN inputs"):
        learner.observe(torch.tensor([[1.0, value]]), torch.tensor([0]))
    assert learner.steps == 0


def test_a_label_beyond_the_head_is_named():
    learner = MAKERS["er"](example_model())
    x, y = example_batch(0)
    with pytest.raises(UserError, match="label 12 is outside the model's 4 classes"):
        learner.observe(x, torch.full_like(y, 12))


def test_a_loss_that_explodes_stops_with_the_step_and_leaves_the_parameters():
    model = nn.Linear(2, 2)
    learner = MAKERS["er"](model)
    x, y = torch.randn(4, 2), torch.tensor([0, 1, 0, 1])
    for _ in range(3):
        learner.observe(x, y)
    with torch.no_grad():
        model.weight.mul_(1e38)
    before = model.weight.clone()
    with pytest.raises(NonFiniteLossError, match="not finite at step 3"):
        learner.observe(100 * x, 1 - y)
    assert torch.equal(model.weight, before)


def test_numpy_arrays_are_taken_too():
    learner = MAKERS["er"](nn.Linear(2, 2))
    step = learner.observe(torch.randn(4, 2).numpy(), torch.tensor([0, 1, 0, 1]).numpy())
    assert step.stream_loss > 0


def test_saving_again_never_loses_the_save_before(tmp_path):
    learner = MAKERS["er"](example_model())
    for number in range(3):
        learner.observe(*example_batch(number))
        learner.save(tmp_path / "state")
    assert len(list((tmp_path / "state").iterdir())) == 2
    model = example_model()
    loaded = ReplayLearner.load(
        tmp_path / "state",
        model=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
    )
    assert loaded.steps == 3
    assert same(loaded.state_dict(), learner.state_dict())


def test_a_folder_without_a_state_or_of_another_learner_is_refused(tmp_path):
    model = nn.Linear(2, 2)
    parts = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=1)}
    with pytest.raises(UserError, match="holds no whole state"):
        ReplayLearner.load(tmp_path, **parts)
    FineTuningLearner(**parts).save(tmp_path)
    with pytest.raises(UserError, match="state of a FineTuningLearner"):
        ReplayLearner.load(tmp_path, **parts)


def test_parts_of_ones_own_are_asked_for_again_by_name(tmp_path):
    model = nn.Linear(2, 2)
    parts = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}
    flow = GeneralFlow(diffusion=lambda z: torch.ones_like(z), steps=1)
    learner = ReplayLearner(
        **parts, memory=ReservoirMemory(5), evolution=flow, prepare=lambda x: x / 2
    )
    learner.observe(torch.randn(4, 2), torch.tensor([0, 1, 0, 1]))
    learner.save(tmp_path)
    with pytest.raises(UserError, match="prepare of its own"):
        ReplayLearner.load(tmp_path, **parts)
    with pytest.raises(UserError, match="evolution is a GeneralFlow of your own"):
        ReplayLearner.load(tmp_path, **parts, prepare=lambda x: x / 2)
    again = ReplayLearner.load(tmp_path, **parts, prepare=lambda x: x / 2, evolution=flow)
    assert again.evolution is flow
    assert len(again.memory) == 4


def test_what_load_does_not_know_is_refused_and_options_may_be_changed(tmp_path):
    learner = MAKERS["er"](example_model())
    learner.observe(*example_batch(0))
    learner.save(tmp_path)
    model = example_model()
    parts = {
        "model": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
    }
    with pytest.raises(UserError, match="did you mean 'evolution'"):
        ReplayLearner.load(tmp_path, **parts, evoluton=None)
    assert ReplayLearner.load(tmp_path, **parts, updates=3).updates == 3


def test_a_damaged_save_is_passed_over_with_a_warning_and_a_foreign_format_is_not(
    tmp_path, monkeypatch
):
    learner = MAKERS["er"](example_model())
    for number in range(2):
        learner.observe(*example_batch(number))
        newest = learner.save(tmp_path)
    (newest / "state.json").write_bytes(b"{")
    model = example_model()
    parts = {
        "model": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
    }
    with pytest.warns(UserWarning, match="the state before it is used"):
        assert ReplayLearner.load(tmp_path, **parts).steps == 1
    monkeypatch.setattr("evoreplay.storage.FORMAT", 99)
    with pytest.raises(UserError, match="continue with the version that wrote it"):
        ReplayLearner.load(tmp_path, **parts)


@pytest.mark.parametrize("options", [{"updates": 0}, {"precision": "float16"}])
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(UserError):
        replay(**options)(nn.Linear(1, 1))

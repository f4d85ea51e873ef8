import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoreplay import Config, ReplayLearner, UserError, run
from evoreplay.memory import GradientSelectionMemory, ReservoirMemory
from evoreplay.models import MLP
from evoreplay.retrieval import MaximallyInterferedRetrieval, UniformRetrieval
from evoreplay.running.assembly import make_learner
from evoreplay.running.methods import METHODS
from evoreplay.running.protocol import resolved

PAPER_ROWS = """fine-tuning|A-GEM|GSS-Greedy|ER|ER + WGF-LD|ER + WGF-SVGD|ER + WGF-HMC|MIR
|MIR + WGF-LD|MIR + WGF-SVGD|MIR + WGF-HMC|GMED (ER)|GMED + WGF-LD|GMED + WGF-SVGD|GMED + WGF-HMC
|ER_aug + ER|ER_aug + WGF-LD|ER_aug + WGF-SVGD|ER_aug + WGF-HMC|iid online|iid offline"""


def test_each_of_the_21_rows_of_the_papers_table_is_one_name():
    rows = [row.strip() for row in PAPER_ROWS.split("|")]
    assert len(rows) == 21
    named = [method.row for method in METHODS.values() if method.row is not None]
    assert sorted(named) == sorted(rows)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs_from_end_to_end_on_digits(name, tmp_path):
    config = Config(method=name, scale=0.08, memory_size=20, candidates=15, reference=16, steps=2)
    result = run(config, out=tmp_path).result
    assert 0 <= result["final_accuracy"] <= 1
    assert (result["forgetting"] is None) is name.startswith("iid")


@settings(max_examples=25, deadline=None)
@given(
    memory=st.sampled_from(["reservoir", "gss"]),
    retrieval=st.sampled_from(["uniform", "mir"]),
    transforms=st.sampled_from([(), ("gmed",), ("augment",), ("gmed", "augment")]),
    method=st.sampled_from(["er", "er+ld", "er+svgd", "er+hmc", "er+noise"]),
    recipe=st.sampled_from(["paper", "reference"]),
    forward=st.sampled_from(["separate", "joint"]),
    updates=st.sampled_from([1, 2]),
)
def test_every_memory_retrieval_transform_and_flow_combine(
    tmp_path_factory, memory, retrieval, transforms, method, recipe, forward, updates
):
    config = Config(
        method=method,
        memory=memory,
        retrieval=retrieval,
        transforms=transforms,
        recipe=recipe,
        forward=forward,
        updates=updates,
        scale=0.04,
        memory_size=15,
        candidates=12,
        steps=2,
    )
    result = run(config, out=tmp_path_factory.mktemp("runs")).result
    assert 0 <= result["final_accuracy"] <= 1


def learner_of(**settings):
    return make_learner(resolved(Config(**settings)), MLP(64, 10), natural=False)


def test_combinations_without_a_name_are_settings():
    learner = learner_of(method="er", memory="gss", retrieval="mir", transforms=("gmed",))
    assert isinstance(learner, ReplayLearner)
    assert isinstance(learner.memory, GradientSelectionMemory)
    assert isinstance(learner.retrieval, MaximallyInterferedRetrieval)
    assert [type(t).__name__ for t in learner.transforms] == ["Editing"]
    plain = learner_of(method="gmed+ld", transforms=(), memory="reservoir")
    assert plain.transforms == ()
    assert isinstance(plain.memory, ReservoirMemory)
    assert isinstance(plain.retrieval, UniformRetrieval)


def test_edits_come_before_augmentation_and_digits_are_not_flipped():
    editing, augmentation = learner_of(method="er", transforms=("augment", "gmed")).transforms
    assert type(editing).__name__ == "Editing"
    assert not augmentation.flip


def test_controls_have_their_weights_and_statistics():
    assert learner_of(method="er-x2").raw_weight == 2
    assert learner_of(method="er-bn", steps=4).extra_statistics == 4
    assert learner_of(method="er").extra_statistics == 0
    noise, flow = learner_of(method="er+noise"), learner_of(method="er+ld")
    assert (noise.raw_weight, noise.evolved_weight) == (flow.raw_weight, flow.evolved_weight)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "agem+ld"}, "agem replays nothing that could evolve"),
        ({"method": "iid-online+ld"}, "iid-online replays nothing that could evolve"),
        ({"method": "er-x2+ld"}, "er-x2 is a control of er"),
        ({"method": "mir+sgvd"}, r"did you mean 'mir\+svgd'"),
        ({"method": "agem", "retrieval": "mir"}, "agem takes no retrieval"),
        ({"method": "fine-tuning", "memory": "gss"}, "fine-tuning takes no memory"),
        ({"method": "iid-online", "stream": "blurry"}, "has a stream of its own"),
    ],
)
def test_what_cannot_be_combined_is_refused_with_a_reason(settings, words):
    with pytest.raises(UserError, match=words):
        resolved(Config(**settings))


def test_write_back_of_augmented_copies_is_refused(tmp_path):
    config = Config(method="er-aug+ld", write_back=True, scale=0.05)
    with pytest.raises(UserError, match="augmented copies have no slot"):
        run(config, out=tmp_path)


def test_iid_methods_have_their_epochs_and_one_update():
    offline = resolved(Config(dataset="cifar100", method="iid-offline"))
    assert (offline.stream, offline.epochs, offline.updates) == ("iid", 5, 1)
    assert resolved(Config(dataset="cifar100", method="er")).updates == 3

import dataclasses

import pytest

from evoreplay import Config, UserError
from evoreplay.running.config import (
    LATER_FIELDS,
    config_hash,
    field_help,
    parse_settings,
    run_name,
    with_settings,
)
from evoreplay.running.protocol import resolved


def test_set_reaches_every_field_by_name():
    examples = {"str": "x", "int": 3, "float": 0.5, "bool": True}
    for field in dataclasses.fields(Config):
        kind = str(field.type)
        value = next((v for k, v in examples.items() if kind.startswith(k)), None)
        if kind.startswith("Literal"):
            value = field.default
        if kind == "Device":
            value = "cpu"
        if kind == "Precision":
            value = "bfloat16"
        if kind.startswith("tuple"):
            value = [-1, 1]
        if field.name == "transforms":
            value = ["gmed", "augment"]
        if field.name == "schedule":
            assert with_settings(Config(), {"schedule": [[1, 0], [0, 1]]}).schedule == (
                (1, 0),
                (0, 1),
            )
            continue
        changed = with_settings(Config(), {field.name: value})
        found = getattr(changed, field.name)
        assert found == (tuple(value) if isinstance(value, list) else value), field.name


def test_texts_become_values_of_the_right_type():
    settings = parse_settings(["rate=1e-3", "steps=2", "write_back=true", "clamp=[-1, 1]"])
    config = with_settings(Config(), settings)
    assert (config.rate, config.steps, config.write_back) == (0.001, 2, True)
    assert config.clamp == (-1.0, 1.0)
    assert with_settings(config, parse_settings(["rate=null"])).rate is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rate", "write it as name=value"),
        ("rat=1", "did you mean 'rate'"),
        ("steps=two", "steps is 'two'; give a whole number"),
        ("steps=2.5", "steps is 2.5; give a whole number"),
        ("rate=fast", "rate is 'fast'; give a finite number"),
        ("rate=true", "rate is True; give a finite number"),
        ("rate=.inf", "rate is inf; give a finite number"),
        ("clamp=[-1, .nan]", "give a finite number"),
        ("rate=" + "9" * 400, "give a finite number"),
        ("write_back=7", "write_back is 7; give true or false"),
        ("method=3", "method is 3; give a name"),
        ("statistics=some", "statistics is 'some'; give one of raw, all"),
        ("clamp=3", "give a list in brackets"),
        ("clamp=[3]", "give 2 numbers"),
        ("schedule=[1, 2]", "give a list in brackets"),
        ("rate=[1", "cannot be read"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(text, words):
    with pytest.raises(UserError, match=words):
        with_settings(Config(), parse_settings([text]))


def test_the_hash_changes_with_every_field_and_with_nothing_else():
    base = config_hash(Config())
    assert base == config_hash(Config())
    assert config_hash(Config(rate=0.02)) != base
    assert config_hash(Config(seed=1)) != base
    assert run_name(Config(seed=1, rate=0.5)).startswith("digits-er+ld-s1-")
    assert "/" not in run_name(Config(dataset="folder:/a/b"))


def test_a_later_field_leaves_the_names_of_earlier_runs_alone():
    # the hash of a config from before `space`, computed then
    assert (
        config_hash(resolved(Config(method="er", device="cpu", precision="float32"))) == "8b1e472f"
    )
    assert config_hash(Config(space="input")) == config_hash(Config())
    assert config_hash(Config(space="layer3")) != config_hash(Config())
    for name, first in LATER_FIELDS.items():
        kept = dataclasses.replace(resolved(Config()), **{name: first})
        assert config_hash(kept) == config_hash(resolved(Config())), name


def test_every_field_explains_itself():
    for field in dataclasses.fields(Config):
        assert len(field_help(Config, field.name)) > 10, field.name
    assert field_help(Config, "nothing") == ""

"""Fields that came after the first runs do not make strangers of them."""

import dataclasses

import pytest
import yaml

from evoreplay import Config, UserError
from evoreplay.running.config import LATER_FIELDS, config_hash
from evoreplay.running.directory import open_run_directory
from evoreplay.running.protocol import resolved


def test_a_run_from_before_the_later_fields_keeps_its_hash():
    """The hash is that of a directory which was written without them."""
    config = Config(dataset="cifar10", method="er", scale=0.2, precision="float32", device="cpu")
    assert config_hash(resolved(config)) == "13d48ce5"


def test_later_fields_have_the_value_that_old_runs_had_and_count_once_they_differ():
    usual = resolved(Config())
    assert {name: getattr(usual, name) for name in LATER_FIELDS} == LATER_FIELDS
    assert config_hash(Config(attacked=10)) != config_hash(Config())
    assert config_hash(Config(attacked=10)) != config_hash(Config(attacked=11))
    assert config_hash(Config(evolve_stream=False)) == config_hash(Config())
    assert config_hash(Config(evolve_stream=True)) != config_hash(Config())
    assert config_hash(Config(input_rate=0.0)) == config_hash(Config())
    assert config_hash(Config(input_rate=0.01)) != config_hash(Config())


def test_the_directory_of_an_old_run_is_opened(tmp_path):
    config = resolved(Config())
    path = open_run_directory(config, tmp_path).path
    text = yaml.safe_load((path / "config.yaml").read_text())
    old = {name: value for name, value in text.items() if name not in LATER_FIELDS}
    assert len(old) < len(dataclasses.fields(Config))
    (path / "config.yaml").write_text(yaml.safe_dump(old))
    assert open_run_directory(config, tmp_path).path == path
    (path / "config.yaml").write_text(yaml.safe_dump(old | {"attacked": 5}))
    with pytest.raises(UserError, match="belongs to another config"):
        open_run_directory(config, tmp_path)

import shutil

import pytest

from evoreplay import Config, run


@pytest.fixture(scope="session")
def original(tmp_path_factory):
    """A finished run, never touched."""
    out = tmp_path_factory.mktemp("runs")
    return run(Config(method="er", scale=0.5, attacked=20), out=out).path


@pytest.fixture
def finished(original, tmp_path):
    return shutil.copytree(original, tmp_path / "runs" / original.name)

import numpy
import pytest
import yaml

pytest.importorskip("tensorboard", reason="tensorboard is not installed: an extra")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData


def read(path):
    log = EventAccumulator(str(path / "logs" / "tensorboard"), size_guidance={"scalars": 0})
    log.Reload()
    return log


def entries(path):
    log = read(path)
    return sorted((n, e.step, e.value) for n in log.Tags()["scalars"] for e in log.Scalars(n))


def in_float32(told):
    return [(name, step, float(numpy.float32(value))) for name, step, value in told]


def test_tensorboard_has_every_event_and_the_result(runs, told):
    assert entries(runs.whole) == in_float32(told(runs.whole))
    assert len(told(runs.whole)) > 50


def test_after_a_failure_tensorboard_has_what_came_before_it(runs, told):
    assert entries(runs.failed) == in_float32(told(runs.failed))
    assert max(step for _, step, _ in entries(runs.failed)) == 14


def test_a_continued_run_shows_no_step_twice_in_tensorboard(runs, told):
    assert entries(runs.continued) == in_float32(told(runs.continued))
    (file,) = (runs.continued / "logs" / "tensorboard").glob("*tfevents*")
    assert file.stat().st_size > 0


def test_the_settings_are_on_the_page_of_hyperparameters(runs):
    content = read(runs.whole).SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    started = HParamsPluginData.FromString(content).session_start_info
    found = {name: getattr(v, v.WhichOneof("kind")) for name, v in started.hparams.items()}
    config = yaml.safe_load((runs.whole / "config.yaml").read_text())
    assert started.group_name == runs.whole.name
    assert found == {name: "null" if value is None else value for name, value in config.items()}


@pytest.mark.slow
def test_a_run_that_was_killed_shows_no_step_twice_in_tensorboard(killed, told):
    assert entries(killed.path) == in_float32(told(killed.path))
    assert (killed.path / "logs" / "tensorboard" / "complete").exists()

import pytest
import yaml

pytest.importorskip("mlflow", reason="mlflow is not installed: an extra")

from mlflow import MlflowClient


@pytest.fixture(autouse=True)
def file_store(monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")


def read(path):
    """The one run of the store, and its metrics."""
    client = MlflowClient(tracking_uri=(path / "logs" / "mlflow").as_uri())
    experiment = client.get_experiment_by_name("evoreplay").experiment_id
    (run,) = client.search_runs([experiment])
    history = [
        m for name in run.data.metrics for m in client.get_metric_history(run.info.run_id, name)
    ]
    return run, sorted((m.key, m.step, m.value) for m in history)


def test_mlflow_has_every_event_and_the_result(runs, told):
    run, entries = read(runs.whole)
    assert entries == told(runs.whole)
    assert (run.info.status, run.info.run_name) == ("FINISHED", runs.whole.name)


def test_after_a_failure_mlflow_has_what_came_before_it_and_says_failed(runs, told):
    run, entries = read(runs.failed)
    assert entries == told(runs.failed)
    assert run.info.status == "FAILED"


def test_a_continued_run_shows_no_step_twice_in_mlflow(runs, told):
    run, entries = read(runs.continued)
    assert entries == told(runs.continued)
    assert run.info.status == "FINISHED"


def test_the_settings_are_parameters(runs):
    config = yaml.safe_load((runs.whole / "config.yaml").read_text())
    assert read(runs.whole)[0].data.params == {name: str(value) for name, value in config.items()}


@pytest.mark.slow
def test_a_run_that_was_killed_shows_no_step_twice_in_mlflow(killed, told):
    assert read(killed.path)[1] == told(killed.path)
    assert (killed.path / "logs" / "mlflow" / "complete").exists()

import json

from evoreplay import Config
from evoreplay.running.config import as_dict, run_name
from evoreplay.running.lock import locked
from evoreplay.running.protocol import resolved
from evoreplay.sweeps.attempt import attempt


def config_of(**fields):
    return resolved(Config(method="fine-tuning", scale=0.05, **fields))


def test_a_run_that_is_done_says_how_good_it_is(tmp_path):
    ended = attempt(as_dict(config_of()), tmp_path)
    (result,) = tmp_path.rglob("result.json")
    assert ended.status == "done"
    assert ended.accuracy == json.loads(result.read_text())["final_accuracy"]


def test_a_failure_is_a_value_and_is_written_down_until_the_run_succeeds(tmp_path, monkeypatch):
    path = tmp_path / run_name(config_of())

    def break_down(*_, **__):
        path.mkdir(exist_ok=True)
        raise RuntimeError("no more ink")

    with monkeypatch.context() as patched:
        patched.setattr("evoreplay.sweeps.attempt.run", break_down)
        ended = attempt(as_dict(config_of()), tmp_path)
    assert (ended.status, ended.reason) == ("failed", "RuntimeError: no more ink")
    written = json.loads((path / "failed.json").read_text())
    assert written["reason"] == ended.reason
    assert "break_down" in written["details"]
    assert attempt(as_dict(config_of()), tmp_path).status == "done"
    assert not (path / "failed.json").exists()


def test_what_cannot_be_run_fails_without_a_folder(tmp_path):
    ended = attempt(as_dict(config_of()) | {"dataset": "npz:nowhere.npz"}, tmp_path)
    assert ended.status == "failed"
    assert "nowhere.npz does not exist" in ended.reason
    assert not any(tmp_path.iterdir())


def test_another_owner_is_waited_for_as_long_as_patience_lasts(tmp_path):
    path = tmp_path / run_name(config_of())
    path.mkdir()
    with locked(path):
        ended = attempt(as_dict(config_of()), tmp_path, patience=1.5)
    assert ended.status == "elsewhere"
    assert "is being run by process" in ended.reason


def test_a_stop_is_no_failure(tmp_path):
    def stop(progress):
        raise KeyboardInterrupt

    ended = attempt(as_dict(config_of()), tmp_path, listener=stop)
    assert ended.status == "stopped"
    assert not list(tmp_path.rglob("failed.json"))

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
import torch

from evoreplay import UserError
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.running import robustness
from evoreplay.running.finished import load_finished
from evoreplay.running.interruption import Interrupted
from evoreplay.running.lock import locked
from evoreplay.running.robustness import attack_run
from evoreplay.storage import write_json

FEW = {"examples": 100, "radii": [0.0, 0.02, 0.1]}


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(robustness, "CHUNK", 10)


def content(path):
    return (path / "robustness.json").read_bytes()


def test_the_file_has_the_form_that_others_read(finished):
    outcome = attack_run(finished, **FEW)
    attack_run(finished, attack="cw", examples=100)
    found = json.loads(content(finished))
    assert outcome.fresh
    result = json.loads((finished / "result.json").read_text())
    assert list(found) == ["config_hash", "examples", "pgd", "cw", "along_stream", "versions"]
    assert found["config_hash"] == result["config_hash"]
    assert found["examples"] == 100
    assert found["along_stream"] == result["robustness_along_stream"]
    assert found["pgd"]["norm"] == "linf"
    assert found["pgd"]["steps"] == 20
    assert found["pgd"]["step_size"] == 2 / 255
    assert found["pgd"]["restarts"] == 1
    assert [point["eps"] for point in found["pgd"]["curve"]] == [0.0, 0.02, 0.1]
    assert list(found["cw"]) == ["quick"]
    quick = found["cw"]["quick"]
    assert (quick["searches"], quick["constant"], quick["steps"], quick["rate"]) == (1, 1, 50, 0.01)
    assert quick["accuracy"] <= quick["accuracy_at_half"] <= found["pgd"]["curve"][0]["accuracy"]
    assert quick["mean_l2"] > 0
    assert not (finished / "robustness.partial.json").exists()
    assert not (finished / "lock").exists()


def test_eps_0_is_what_the_learner_itself_gets_right_and_more_eps_is_worse(finished):
    found = attack_run(finished, **FEW).found
    again = load_finished(finished)
    test = again.experiment.test
    indices = torch.cat(test.segments)
    first_ten = torch.cat([indices[test.y[indices] == label][:10] for label in range(10)])
    with torch.no_grad():
        logits = again.model.eval()(scaled_to_unit_range(test.x[first_ten]))
    clean = (logits.argmax(1) == test.y[first_ten]).double().mean().item()
    accuracies = [point["accuracy"] for point in found["pgd"]["curve"]]
    assert accuracies[0] == pytest.approx(clean, abs=1e-12)
    assert accuracies[0] > accuracies[1] > accuracies[2]


def test_an_attack_changes_nothing_else_in_the_run_directory(finished):
    def others():
        files = (p for p in finished.rglob("*") if p.is_file())
        return {p: p.read_bytes() for p in files if p.name != "robustness.json"}

    before = others()
    attack_run(finished, **FEW)
    assert others() == before


def test_what_was_found_is_reported_and_only_the_rest_is_attacked(finished, monkeypatch):
    attack_run(finished, **FEW)
    before = content(finished)
    again = attack_run(finished, **FEW)
    assert not again.fresh
    assert content(finished) == before
    attacked = []
    original = robustness.attacked

    def spy(model, attack, images, seed, number):
        attacked.append(attack.eps)
        return original(model, attack, images, seed, number)

    monkeypatch.setattr(robustness, "attacked", spy)
    more = attack_run(finished, examples=100, radii=[0.02, 0.05])
    assert set(attacked) == {0.05}
    assert [p["eps"] for p in more.found["pgd"]["curve"]] == [0.0, 0.02, 0.05, 0.1]


def test_the_order_of_attacks_does_not_matter(finished, tmp_path):
    other = shutil.copytree(finished, tmp_path / "other")
    attack_run(finished, **FEW)
    attack_run(finished, attack="cw", examples=100)
    attack_run(other, attack="cw", examples=100)
    attack_run(other, **FEW)
    assert content(finished) == content(other)


@pytest.mark.parametrize("options", [FEW, {"attack": "cw", "examples": 100}])
@pytest.mark.usefixtures("small_chunks")
def test_a_killed_attack_continues_and_ends_with_the_same_bytes(finished, tmp_path, options):
    other = shutil.copytree(finished, tmp_path / "other")
    positions = []
    attack_run(finished, **options, listener=lambda p: positions.append(p.position))
    assert positions == list(range(1, len(positions) + 1))

    class Killed(BaseException):
        pass

    for moment in (1, len(positions) // 2, len(positions)):

        def die(progress, moment=moment):
            if progress.position == moment:
                raise Killed

        with pytest.raises(Killed):
            attack_run(other, **options, listener=die)
        chunks = json.loads((other / "robustness.partial.json").read_text())["chunks"]
        assert sum(len(lists) for lists in chunks.values()) >= moment
        assert not (other / "robustness.json").exists()
    attack_run(other, **options)
    assert content(other) == content(finished)
    assert not (other / "robustness.partial.json").exists()


@pytest.mark.slow
def test_a_command_killed_with_kill_9_continues_to_the_same_bytes(finished, tmp_path):
    other = shutil.copytree(finished, tmp_path / "other")
    partial = other / "robustness.partial.json"

    def chunks():
        kept = json.loads(partial.read_text())["chunks"] if partial.exists() else {}
        return sum(len(lists) for lists in kept.values())

    def command(path):
        return [sys.executable, "-m", "evoreplay", "attack", str(path), "--quiet"]

    subprocess.run(command(finished), check=True)
    for target in (1, 12, 30):
        process = subprocess.Popen(command(other))
        while process.poll() is None and chunks() < target:
            time.sleep(0.005)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert chunks() >= target
    subprocess.run(command(other), check=True)
    assert content(other) == content(finished)
    assert not partial.exists()


@pytest.mark.usefixtures("small_chunks")
def test_a_signal_stops_an_attack_between_two_passes_and_says_how_to_go_on(finished):
    def stop(progress):
        if progress.position == 3:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Interrupted, match="the same command continues") as stopped:
        attack_run(finished, **FEW, listener=stop)
    assert stopped.value.exit_code == 143
    assert attack_run(finished, **FEW).fresh


@pytest.mark.usefixtures("small_chunks")
def test_chunks_of_another_model_are_not_believed(finished):
    whole = attack_run(finished, **FEW).found["pgd"]
    (finished / "robustness.json").unlink()
    partial = {
        "identity": {"model": "of another one"},
        "chunks": {"ProjectedGradient": [[None] * 10]},
    }
    write_json(finished / "robustness.partial.json", partial)
    assert attack_run(finished, **FEW).found["pgd"] == whole


@pytest.mark.usefixtures("small_chunks")
def test_an_unfinished_attack_survives_another_one(finished):
    class Killed(BaseException):
        pass

    def die(progress):
        if progress.position == 2:
            raise Killed

    with pytest.raises(Killed):
        attack_run(finished, attack="cw", examples=100, listener=die)
    attack_run(finished, **FEW)
    kept = json.loads((finished / "robustness.partial.json").read_text())["chunks"]
    assert [len(chunks) for chunks in kept.values()] == [2]


def test_a_directory_that_another_process_holds_is_left_alone(finished):
    with locked(finished), pytest.raises(UserError, match="is being run by"):
        attack_run(finished, **FEW)
    assert not (finished / "robustness.json").exists()


def test_numbers_of_other_examples_are_not_mixed(finished):
    attack_run(finished, **FEW)
    with pytest.raises(UserError, match="give --examples 100, or move that file away"):
        attack_run(finished, attack="cw", examples=50)


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_damaged_file_is_told(finished, text):
    (finished / "robustness.json").write_text(text)
    with pytest.raises(UserError, match="cannot be read; move it away"):
        attack_run(finished, **FEW)


def test_all_images_and_the_default_are_what_there_is_of_the_digits(finished):
    assert attack_run(finished, examples=0, radii=[0.02]).found["examples"] == 359
    assert not attack_run(finished, radii=[0.02]).fresh
    with pytest.raises(UserError, match="examples is 360, and digits has 359 test images"):
        attack_run(finished, examples=360)

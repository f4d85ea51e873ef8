"""Sweeps with real worker processes on the embedded digits."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from evoreplay import Config, run
from evoreplay.running.config import as_dict, run_name
from evoreplay.running.events import read_events
from evoreplay.running.found import find_runs, read_failure
from evoreplay.running.interruption import StopRequest
from evoreplay.running.lock import locked
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.grid import experiment_configs, make_grid
from evoreplay.sweeps.on_processes import MOST_DEATHS, Place, on_processes
from evoreplay.sweeps.sweep import sweep


def jobs_of(*methods, seeds=1, **fields):
    fields = {"scale": 0.1, "memory_size": 20} | fields
    return make_grid([Config(method=m, seed=s, **fields) for m in methods for s in range(seeds)])


def quiet():
    return Console(file=io.StringIO())


def accuracies(out):
    return {f.path.name: f.result["final_accuracy"] for f in find_runs(out) if f.result}


def test_a_sweep_gives_what_single_runs_give_and_repeats_nothing(tmp_path):
    jobs = jobs_of("er", "er+ld", seeds=2)
    board = sweep(jobs, Place(tmp_path / "swept"), quiet(), workers=2)
    assert board.count("done") == 4
    alone = {
        job.name: run(job.config, out=tmp_path / "alone").result["final_accuracy"] for job in jobs
    }
    assert accuracies(tmp_path / "swept") == alone
    files = [p / "result.json" for p in (tmp_path / "swept").iterdir()]
    before = [f.stat().st_mtime_ns for f in files]
    again = sweep(jobs, Place(tmp_path / "swept"), quiet(), workers=2)
    assert again.count("done") == 4
    assert [f.stat().st_mtime_ns for f in files] == before


def test_a_failing_run_does_not_stop_the_others_and_says_why(tmp_path):
    jobs = jobs_of("er") + jobs_of("er", lr=1e30) + jobs_of("er", dataset="npz:nowhere.npz")
    board = sweep(jobs, Place(tmp_path), quiet(), workers=1)
    assert board.count("done") == 1
    not_finite, no_data = board.entries[jobs[1].name], board.entries[jobs[2].name]
    assert not_finite.state == no_data.state == "failed"
    assert "not finite" in not_finite.reason
    assert "not finite" in read_failure(tmp_path / jobs[1].name)
    assert "nowhere.npz" in no_data.reason


def test_a_run_that_succeeds_at_last_is_no_longer_called_failed(tmp_path):
    jobs = jobs_of("er")
    (tmp_path / jobs[0].name).mkdir()
    sweep(jobs, Place(tmp_path), quiet(), workers=1)
    (tmp_path / jobs[0].name / "result.json").unlink()
    (tmp_path / jobs[0].name / "failed.json").write_text('{"reason": "the disk was full"}')
    (found,) = find_runs(tmp_path)
    assert (found.status, found.reason) == ("failed", "the disk was full")
    sweep(jobs, Place(tmp_path), quiet(), workers=1)
    (found,) = find_runs(tmp_path)
    assert (found.status, found.reason) == ("finished", None)


def test_a_worker_that_always_dies_is_given_up_and_its_last_words_are_kept(tmp_path, monkeypatch):
    package = tmp_path / "broken" / "sitecustomize.py"
    package.parent.mkdir()
    package.write_text(
        "import sys\nif 'evoreplay.sweeps.worker' in str(sys.orig_argv):\n"
        "    sys.exit('no such luck')\n"
    )
    monkeypatch.setenv(
        "PYTHONPATH", f"{package.parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    )
    board = Board.of(jobs_of("er"))
    on_processes(board, Place(tmp_path / "runs"), workers=1, stop=StopRequest())
    (entry,) = board.entries.values()
    assert entry.state == "failed"
    assert "no such luck" in entry.reason
    assert f"{MOST_DEATHS} times" in entry.reason


def test_a_run_that_another_process_is_at_is_waited_for(tmp_path):
    jobs = jobs_of("er")
    (tmp_path / jobs[0].name).mkdir()
    board, seen, free = Board.of(jobs), [], locked(tmp_path / jobs[0].name)
    free.__enter__()

    def tick():
        if board.count("elsewhere") and not seen:
            seen.append(True)
            free.__exit__(None, None, None)

    on_processes(board, Place(tmp_path), workers=1, stop=StopRequest(), tick=tick)
    assert seen
    assert board.count("done") == 1


def test_a_stop_request_saves_what_is_under_way(tmp_path):
    jobs = jobs_of("er+ld", scale=1.0)
    board, stop = Board.of(jobs), StopRequest()

    def tick():
        if board.entries[jobs[0].name].position > 20:
            stop(signal.SIGINT, None)

    on_processes(board, Place(tmp_path), workers=1, stop=stop, tick=tick)
    (found,) = find_runs(tmp_path)
    assert found.status == "unfinished"
    assert found.position >= 20
    board = sweep(jobs, Place(tmp_path), quiet(), workers=1)
    assert board.count("done") == 1


def start(experiment, out):
    command = [sys.executable, "-m", "evoreplay", "sweep", str(experiment), "--out", str(out)]
    return subprocess.Popen(
        [*command, "--workers", "2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def children(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def kill_at_random(out, experiment, kills, generator):
    """Kill drivers or workers, and start the sweep again whenever its driver is gone.

    There is a kill for each run that has begun, so that a fast machine sees as many as a slow one.
    """
    driver, done = start(experiment, out), 0
    while done < kills:
        while driver.poll() is None and len(list(out.glob("*/events.jsonl"))) <= done:
            time.sleep(0.05)
        time.sleep(generator.uniform(0.0, 1.5))
        if driver.poll() is not None:
            break
        victims = children(driver.pid)
        victim = (
            driver.pid if generator.random() < 0.4 or not victims else generator.choice(victims)
        )
        os.kill(victim, signal.SIGKILL)
        done += 1
        if victim == driver.pid:
            driver.wait()
            driver.stdout.close()
            driver = start(experiment, out)
    output = driver.communicate(timeout=600)[0]
    return done, driver.returncode, output


@pytest.mark.parametrize(
    ("kills", "grid"),
    [
        (2, "method: er+ld\nseeds: 2\nset: {scale: 0.3, memory_size: 20}\n"),
        pytest.param(
            20,
            "method: [er, er+noise, er+ld, er+svgd]\nseeds: 6\nset: {updates: 4}\n",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["2 kills, 2 runs", "20 kills, 24 runs"],
)
def test_killing_driver_and_workers_loses_and_doubles_nothing(tmp_path, kills, grid):
    experiment = tmp_path / "grid.yaml"
    experiment.write_text(f"dataset: digits\n{grid}")
    done, code, output = kill_at_random(tmp_path / "out", experiment, kills, random.Random(0))
    assert code == 0, output
    jobs = make_grid(experiment_configs(str(experiment)))
    clean = sweep(jobs, Place(tmp_path / "clean"), quiet(), workers=2)
    assert clean.count("done") == len(jobs)
    assert accuracies(tmp_path / "out") == accuracies(tmp_path / "clean")
    assert {p.name for p in (tmp_path / "out").iterdir()} == {run_name(j.config) for j in jobs}
    for job in jobs:
        # a step that was done twice would be in the log twice
        steps = [
            e["step"]
            for e in read_events(tmp_path / "out" / job.name / "events.jsonl")
            if e["event"] == "step"
        ]
        assert steps == sorted(set(steps))
    assert done >= (kills if kills > 2 else 1)  # otherwise the grid was too small for them


def test_a_worker_leaves_when_nobody_writes_to_it_any_more(tmp_path):
    job = jobs_of("er+ld", scale=1.0)[0]
    worker = subprocess.Popen(
        [sys.executable, "-m", "evoreplay.sweeps.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    order = {"config": as_dict(job.config), "out": str(tmp_path), "data": None, "threads": 1}
    worker.stdin.write(json.dumps(order) + "\n")
    worker.stdin.flush()
    assert "position" in json.loads(worker.stdout.readline())
    worker.stdin.close()
    *_, last = worker.stdout
    assert json.loads(last)["status"] == "stopped"
    assert worker.wait(timeout=30) == 0
    worker.stdout.close()
    assert [f.status for f in find_runs(tmp_path)] == ["unfinished"]

"""Kill a run at any moment, run it again, and the final bytes are those of one never interrupted.

Trials run in forks of this warmed process. EVOREPLAY_KILL_TRIALS says how many: 5 in the fast
tests, 200 in `make soak`; CI does 20 more in its slow part.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evoreplay.storage
from evoreplay import Config, UserError, run
from evoreplay.checks import same
from evoreplay.running.checkpoint import Schedule
from evoreplay.storage import newest_state
from shared.killed_runs import exit_status, fingerprint, fork

METHODS = ["fine-tuning", "er", "mir", "gss", "agem", "gmed", "er+ld", "mir+svgd", "er+hmc"]
TRIALS = int(os.environ.get("EVOREPLAY_KILL_TRIALS", "5"))
OFTEN = Schedule(steps=2, seconds=1e9)


def config_of(method, seed=0):
    return Config(
        method=method, seed=seed, scale=0.12, memory_size=20, candidates=15, reference=16, steps=2
    )


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """The whole run of a method and seed, done once; and how long it took."""
    known = {}

    def of(method, seed):
        if (method, seed) not in known:
            out = tmp_path_factory.mktemp("whole")
            began = time.monotonic()
            assert exit_status(fork(lambda: run(config_of(method, seed), out=out))) == 0
            known[method, seed] = fingerprint(out), time.monotonic() - began
        return known[method, seed]

    return of


def killed_run(config, out, source, duration):
    """Start the run, kill it at random moments up to five times, then let it finish."""
    for _ in range(source.randint(1, 5)):
        pid = fork(lambda: run(config, out=out, checkpoints=OFTEN))
        time.sleep(source.uniform(0, 1.2 * duration))
        os.kill(pid, signal.SIGKILL)
        exit_status(pid)
    assert exit_status(fork(lambda: run(config, out=out, checkpoints=OFTEN))) == 0


def survives(trial, uninterrupted, out):
    source = random.Random(trial)
    method, seed = METHODS[trial % len(METHODS)], trial // len(METHODS) % 3
    whole, duration = uninterrupted(method, seed)
    killed_run(config_of(method, seed), out, source, duration)
    found = fingerprint(out)
    assert found[:2] == whole[:2]
    assert same(found[2], whole[2])
    assert found[3] == whole[3]


@pytest.mark.parametrize("trial", range(TRIALS))
def test_a_run_killed_at_random_moments_ends_with_the_same_bytes(trial, uninterrupted, tmp_path):
    survives(trial, uninterrupted, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("trial", range(100, 120))
def test_twenty_more_runs_survive(trial, uninterrupted, tmp_path):
    survives(trial, uninterrupted, tmp_path)


class Faults:
    """Counts writes, flushes and renames, and kills the process at the n-th."""

    def __init__(self, last):
        self.left = last
        write, fsync = evoreplay.storage._write_and_flush, os.fsync
        rename, replace = os.rename, os.replace

        def torn_write(path, data):
            if self.next_is_last():
                path.write_bytes(data[: len(data) // 2])
                os._exit(137)
            write(path, data)

        evoreplay.storage._write_and_flush = torn_write
        os.fsync = self.before(fsync)
        os.rename, os.replace = self.before(rename), self.before(replace)

    def next_is_last(self):
        self.left -= 1
        return self.left == 0

    def before(self, call):
        def faulty(*arguments):
            if self.next_is_last():
                os._exit(137)
            return call(*arguments)

        return faulty


def survive_faults(tmp_path, numbers):
    """Kill at each of these operations, run again, compare; returns how many were reached."""
    config = Config(method="er+ld", scale=0.03, memory_size=10, steps=1)
    often = Schedule(steps=2, seconds=1e9)
    whole = tmp_path / "whole"
    assert exit_status(fork(lambda: run(config, out=whole, checkpoints=often))) == 0
    expected = fingerprint(whole)
    for number in numbers:
        out = tmp_path / str(number)

        def faulty(number=number, out=out):
            Faults(number)
            run(config, out=out, checkpoints=often)

        if exit_status(fork(faulty)) == 0:
            return number - 1
        resumed = fork(lambda out=out: run(config, out=out, checkpoints=often))
        assert exit_status(resumed) == 0, f"not resumed after a kill at operation {number}"
        found = fingerprint(out)
        assert found[:2] == expected[:2], number
        assert same(found[2], expected[2]), number
    return None


def test_killed_at_some_write_flush_or_rename(tmp_path):
    assert survive_faults(tmp_path, [1, 2, 3, 8, 20, 47]) is None


@pytest.mark.slow
def test_killed_at_the_nth_write_flush_or_rename_for_every_n(tmp_path):
    assert survive_faults(tmp_path, range(1, 1000)) > 40


def test_every_example_is_learned_exactly_once_and_in_order_under_kills(tmp_path):
    # a memory with room for all of it holds the stream in the order in which it came
    config = Config(method="er", scale=0.12, memory_size=2000)
    whole = tmp_path / "whole"
    began = time.monotonic()
    assert exit_status(fork(lambda: run(config, out=whole))) == 0
    killed_run(config, tmp_path / "killed", random.Random(5), time.monotonic() - began)
    memories = []
    for out in (whole, tmp_path / "killed"):
        (path,) = out.iterdir()
        memories.append(newest_state(path / "checkpoints")[1]["learner"]["memory"])
    assert memories[0]["seen"] == len(memories[0]["y"]) == memories[1]["seen"]
    assert same(*memories)


def test_a_disk_that_is_full_while_saving_keeps_the_old_checkpoint(tmp_path):
    config = Config(method="er", scale=0.2)

    def limited():
        # no file may grow beyond 100 kB: the first checkpoint does not fit
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            run(config, out=tmp_path, checkpoints=OFTEN)
        except UserError as error:
            os._exit(7 if "make room" in str(error) else 8)

    def stop(progress):
        if progress.position == 5:
            signal.raise_signal(signal.SIGTERM)

    assert (
        os.waitstatus_to_exitcode(
            exit_status(fork(lambda: run(config, out=tmp_path, listener=stop)))
        )
        == 1
    )
    (path,) = tmp_path.iterdir()
    folder, before = newest_state(path / "checkpoints")
    assert os.waitstatus_to_exitcode(exit_status(fork(limited))) == 7
    again, after = newest_state(path / "checkpoints")
    assert again == folder
    assert same(before, after)
    assert exit_status(fork(lambda: run(config, out=tmp_path))) == 0


def test_a_second_process_on_a_run_is_refused(tmp_path):
    config = Config(method="er", scale=0.2)
    refused = []

    def intrude(progress):
        if progress.position == 3 and not refused:
            with pytest.raises(UserError, match=f"process {os.getpid()} on"):
                run(config, out=tmp_path)
            refused.append(True)

    run(config, out=tmp_path, listener=intrude)
    assert refused


def cpu_seconds(pid):
    """That a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_command_leaves_within_five_seconds_of_a_signal_and_says_how_to_go_on(
    tmp_path, number, code
):
    command = [
        sys.executable,
        "-m",
        "evoreplay",
        "run",
        "--method",
        "er+ld",
        "--out",
        str(tmp_path),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    with process.stdout, process.stderr:
        for line in process.stdout:
            if "batch" in line and "batch 0" not in line:
                break
        before = cpu_seconds(process.pid)
        process.send_signal(number)
        message = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # of the processor: others may be at work on this machine
    assert used.ru_utime + used.ru_stime - before < 5
    assert process.returncode == code
    assert "the same command continues" in message
    assert "Traceback" not in message
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert list(tmp_path.glob("*/result.json"))

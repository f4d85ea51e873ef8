import json
import os
import signal
import socket
import time

import pytest

from evoreplay import UserError
from evoreplay.running.lock import locked


def in_child(work):
    """Run `work` in a forked process; returns its pid once `work` has said it is ready."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            work(lambda: os.write(write, b"x"))
        finally:
            os._exit(0)
    os.read(read, 1)
    os.close(read)
    os.close(write)
    return pid


def hold(folder):
    def work(ready):
        with locked(folder):
            ready()
            time.sleep(60)

    return in_child(work)


def test_a_second_process_is_refused_with_the_owners_name(tmp_path):
    pid = hold(tmp_path)
    try:
        message = rf"process {pid} on {socket.gethostname()} \(since"
        with pytest.raises(UserError, match=message), locked(tmp_path):
            pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_the_lock_of_a_dead_owner_is_taken_over_at_once(tmp_path):
    pid = hold(tmp_path)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    began = time.monotonic()
    with locked(tmp_path):
        assert json.loads((tmp_path / "lock").read_text())["process"] == os.getpid()
    # a heartbeat would have to be silent for a minute
    assert time.monotonic() - began < 30


def test_the_lock_is_gone_after_use_and_can_be_had_again(tmp_path):
    for _ in range(3):
        with locked(tmp_path):
            assert (tmp_path / "lock").exists()
        assert not (tmp_path / "lock").exists()


def test_another_thread_of_control_in_the_same_process_is_refused_too(tmp_path):
    with locked(tmp_path), pytest.raises(UserError, match="is being run by"), locked(tmp_path):
        pass


def test_a_living_owner_on_another_host_is_believed_and_a_silent_one_is_not(tmp_path):
    path = tmp_path / "lock"
    path.write_text(json.dumps({"host": "elsewhere", "process": 7, "since": "today"}))
    with pytest.raises(UserError, match="process 7 on elsewhere"), locked(tmp_path):
        pass
    long_ago = time.time() - 1000
    os.utime(path, (long_ago, long_ago))
    with locked(tmp_path):
        assert json.loads(path.read_text())["host"] == socket.gethostname()


def test_an_owner_shows_that_it_lives(tmp_path, monkeypatch):
    monkeypatch.setattr("evoreplay.running.lock.HEARTBEAT_SECONDS", 0.02)
    with locked(tmp_path):
        long_ago = time.time() - 1000
        os.utime(tmp_path / "lock", (long_ago, long_ago))
        time.sleep(0.3)
        assert time.time() - (tmp_path / "lock").stat().st_mtime < 10


def test_an_owner_that_lost_its_lock_leaves_the_new_ones_alone(tmp_path):
    with locked(tmp_path):
        path = tmp_path / "lock"
        theirs = json.dumps({"host": "elsewhere", "process": 1, "since": "now"})
        path.write_text(theirs)
    assert path.read_text() == theirs


def test_a_file_system_without_locks_is_served_by_the_heartbeat(tmp_path, monkeypatch):
    def unsupported(descriptor, operation):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("evoreplay.running.lock.fcntl.flock", unsupported)
    with locked(tmp_path), pytest.raises(UserError, match="is being run by"), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("content", [b"", b"{", b"[1]"])
def test_an_empty_or_damaged_lock_file_is_nobodys(tmp_path, content):
    (tmp_path / "lock").write_bytes(content)
    with locked(tmp_path):
        pass

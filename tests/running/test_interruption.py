import os
import signal
import threading

import pytest

from evoreplay.running.interruption import Interrupted, stop_requests


def test_a_signal_is_remembered_and_the_old_handlers_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with stop_requests() as stop:
        assert not stop
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop
        assert stop.signal_number == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_second_ctrl_c_does_not_wait():
    with stop_requests():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_another_thread_works_without_handlers():
    found = []

    def work():
        with stop_requests() as stop:
            found.append(bool(stop))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]


def test_the_exit_code_says_which_signal():
    assert Interrupted("x", signal.SIGINT).exit_code == 130

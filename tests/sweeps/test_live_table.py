import io
import time

import pytest
from rich.console import Console

from evoreplay import Config
from evoreplay.sweeps.attempt import Attempt
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.grid import make_grid
from evoreplay.sweeps.live_table import LiveTable, duration

JOBS = make_grid([Config(method="er", seed=seed) for seed in range(4)])
NAMES = [job.name for job in JOBS]


def shown(board, width=140):
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    console.print(LiveTable(console, board, workers=2).picture())
    return file.getvalue()


def test_the_picture_has_progress_time_left_and_reasons():
    board = Board.of(JOBS, dict.fromkeys(NAMES, 100.0))
    board.started(NAMES[0])
    board.progressed(NAMES[0], 0, 200, None)
    board.entries[NAMES[0]].began = time.monotonic() - 50
    board.progressed(NAMES[0], 100, 200, 0.5)
    board.ended(NAMES[1], Attempt("failed", "the loss is not finite [bold]"))
    board.ended(NAMES[2], Attempt("done", accuracy=0.8))
    text = shown(board)
    assert "1 of 4 runs done, 1 running, 1 waiting, 1 failed, about 1 min left" in text
    assert "50%" in text
    assert "accuracy 50.0%" in text
    assert "50 s left" in text
    # square brackets of a message are text, no mark-up
    assert "the loss is not finite [bold]" in text


def test_a_log_file_gets_one_line_for_each_end():
    file = io.StringIO()
    board = Board.of(JOBS)
    with LiveTable(Console(file=file, width=40), board, workers=1) as table:
        board.started(NAMES[0])
        table()
        board.ended(NAMES[0], Attempt("done", accuracy=0.25))
        board.ended(NAMES[1], Attempt("stopped", "its process ended with SIGKILL"))
    lines = file.getvalue().splitlines()
    assert lines == [
        f"[1/4] {NAMES[0]}: done, accuracy 25.0%",
        f"{NAMES[1]}: interrupted (its process ended with SIGKILL), goes on later",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (45, "45 s"), (725, "12 min"), (12000, "3 h 20 min"), (187200, "2 d 4 h")],
)
def test_durations_are_said_in_two_units(seconds, words):
    assert duration(seconds) == words

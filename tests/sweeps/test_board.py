import pytest

from evoreplay import Config
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.grid import make_grid

JOBS = make_grid([Config(method="er", seed=seed) for seed in range(4)])
NAMES = [job.name for job in JOBS]


def test_time_left_counts_only_what_this_sweep_did_itself():
    board = Board.of(JOBS)
    board.started(NAMES[0])
    board.progressed(NAMES[0], 150, 200, None)
    entry = board.entries[NAMES[0]]
    assert entry.seconds_left(entry.began + 10) is None
    board.progressed(NAMES[0], 160, 200, None)
    assert entry.seconds_left(entry.began + 10) == pytest.approx(40)

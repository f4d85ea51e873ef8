import pytest
import torch

from evoreplay import ArrayStream, UserError
from evoreplay.streams.stream import equal_ends


def test_iteration_gives_pairs_and_nothing_that_tells_a_segment():
    stream = ArrayStream(torch.arange(7), torch.zeros(7), torch.arange(7), 3, (1, 3))
    items = list(stream)
    assert [len(item) for item in items] == [2, 2, 2]
    assert [len(x) for x, _ in items] == [3, 3, 1]


def test_equal_parts_end_at_different_batches_and_the_last_at_the_end():
    assert equal_ends(10, 4) == (2, 5, 8, 10)
    assert equal_ends(3, 3) == (1, 2, 3)
    with pytest.raises(UserError, match="2 batches are too few for 3 measured parts"):
        equal_ends(2, 3)

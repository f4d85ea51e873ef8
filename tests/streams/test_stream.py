import torch

from evoreplay import ArrayStream


def test_iteration_gives_pairs_and_nothing_that_tells_a_segment():
    stream = ArrayStream(torch.arange(7), torch.zeros(7), torch.arange(7), 3, (1, 3))
    items = list(stream)
    assert [len(item) for item in items] == [2, 2, 2]
    assert [len(x) for x, _ in items] == [3, 3, 1]

import pytest
import torch

from evoreplay import UserError
from evoreplay.streams.timed import ordered_by_time, spread_evenly, thinned


def test_time_is_the_order():
    x = torch.arange(6)
    stream = ordered_by_time(
        x,
        x,
        [torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5])],
        [torch.tensor([0.1, 0.5, 0.9]), torch.tensor([0.0, 0.6, 0.2])],
        batch_size=2,
        segments=3,
    )
    assert stream.order.tolist() == [3, 0, 5, 1, 4, 2]
    assert stream.segment_ends == (1, 2, 3)


def test_too_few_batches_to_measure_are_refused():
    with pytest.raises(UserError, match="too few for 4 measured parts"):
        ordered_by_time(
            torch.zeros(4),
            torch.zeros(4),
            [torch.arange(4)],
            [torch.rand(4)],
            batch_size=2,
            segments=4,
        )


def test_a_spread_is_even_and_thinning_takes_a_share_without_repeats():
    numbers = spread_evenly(100, torch.Generator().manual_seed(0))
    assert (numbers * 100).floor().long().sort().values.tolist() == list(range(100))
    pools = thinned([torch.arange(50), torch.arange(50, 53)], 0.1, torch.Generator())
    assert [len(p) for p in pools] == [5, 1]
    with pytest.raises(UserError, match="scale is -1"):
        thinned([], -1, torch.Generator())

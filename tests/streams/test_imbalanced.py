import pytest
import torch

from evoreplay import UserError
from evoreplay.streams import imbalanced


def make(ratio, seed=0):
    y = torch.arange(10).repeat_interleave(1000)
    pools = [(y // 2 == n).nonzero().squeeze(1) for n in range(5)]
    generator = torch.Generator().manual_seed(seed)
    x = torch.arange(len(y))
    return imbalanced(x, y, pools, batch_size=10, generator=generator, ratio=ratio)


def test_class_sizes_fall_geometrically_from_all_to_the_ratio():
    stream = make(0.01)
    counts = torch.bincount(stream.y[stream.order]).sort(descending=True).values.double()
    expected = 1000 * 0.01 ** (torch.arange(10) / 9)
    # whole batches only: up to 9 examples of a segment are dropped
    assert bool(((counts - expected).abs() <= 10).all())
    assert len(stream.order.unique()) == len(stream.order)


def test_segments_stay_in_order_and_the_seed_says_which_classes_are_rare():
    stream = make(0.1)
    groups = stream.y[stream.order] // 2
    assert bool((groups.diff() >= 0).all())
    counts = [torch.bincount(make(0.1, seed).y[make(0.1, seed).order]) for seed in (0, 1)]
    assert not torch.equal(*counts)


def test_a_ratio_outside_zero_and_one_is_refused():
    with pytest.raises(UserError, match="imbalance ratio is 0"):
        make(0)

import pytest
import torch

from evoreplay import UserError, iid


def make(**options):
    y = torch.arange(10).repeat_interleave(30)
    x = torch.arange(300)[:, None]
    pools = [torch.arange(60 * n, 60 * (n + 1)) for n in range(5)]
    generator = torch.Generator().manual_seed(0)
    return iid(x, y, pools, batch_size=10, generator=generator, **options)


def test_classes_are_mixed_and_every_example_comes_once():
    batches = list(make())
    assert len(torch.cat([x for x, _ in batches]).unique()) == 300
    assert len(torch.cat([y for _, y in batches[:6]]).unique()) == 10


def test_several_epochs_are_shuffled_anew():
    stream = make(epochs=5)
    assert len(stream) == 150
    assert stream.segment_ends == (30, 60, 90, 120, 150)
    epochs = stream.order.reshape(5, 300)
    assert all(len(epoch.unique()) == 300 for epoch in epochs)
    assert not torch.equal(epochs[0], epochs[1])


def test_scale_takes_its_share_of_every_pool():
    stream = make(scale=0.5)
    assert len(stream.order) == 150
    assert torch.bincount(stream.y[stream.order] // 2).tolist() == [30] * 5


def test_impossible_streams_are_refused():
    with pytest.raises(UserError, match="epochs is 0"):
        make(epochs=0)
    with pytest.raises(UserError, match="scale is 2"):
        make(scale=2)
    with pytest.raises(UserError, match="less than one batch"):
        make(scale=0.01)
    with pytest.raises(UserError, match="3 batches are too few for 5 measured parts"):
        make(scale=0.1)

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evoreplay import UserError
from evoreplay.streams import drift


def make(schedule, sizes=(6000, 6000, 6000), seed=0, **options):
    y = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    pools = [(y == n).nonzero().squeeze(1) for n in range(len(sizes))]
    generator = torch.Generator().manual_seed(seed)
    x = torch.arange(len(y))
    return drift(x, y, pools, batch_size=10, generator=generator, schedule=schedule, **options)


def test_measured_shares_follow_the_schedule_between_its_rows():
    stream = make([[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    windows = 50
    length = len(stream.order) // windows * windows
    labels = stream.y[stream.order][:length].reshape(windows, -1)
    moments = (torch.arange(windows) + 0.5) / windows
    expected = torch.stack(
        [
            (1 - 2 * moments).clamp(min=0),
            torch.where(moments < 0.5, 2 * moments, 1 - (moments - 0.5)),
            (moments - 0.5).clamp(min=0),
        ],
        dim=1,
    )
    for pool in range(3):
        found = (labels == pool).double().mean(dim=1)
        assert (found - expected[:, pool]).abs().max() < 0.06


def test_the_stream_is_as_long_as_the_scarcest_pool_allows():
    # half of the stream is pool 0, which has 1000
    stream = make([[2, 1, 1]], sizes=(1000, 6000, 6000))
    counts = torch.bincount(stream.y[stream.order])
    assert counts.tolist() == [1000, 500, 500]


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda row: sum(row) > 0.1),
        min_size=1,
        max_size=4,
    ),
    seed=st.integers(0, 9),
)
def test_no_example_comes_twice_whatever_the_schedule(rows, seed):
    stream = make(rows, sizes=(400, 300, 500), seed=seed, segments=1)
    assert len(stream.order.unique()) == len(stream.order)


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ([], "give one or more rows of 3"),
        ([[1, 0]], "give one or more rows of 3"),
        ([[1, 0, -1]], "negative share"),
        ([[0, 0, 0]], "row of zeros"),
    ],
)
def test_a_schedule_that_cannot_be_followed_is_refused(schedule, words):
    with pytest.raises(UserError, match=words):
        make(schedule)

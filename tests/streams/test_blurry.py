import pytest
import torch
from scipy.stats import norm

from evoreplay import UserError
from evoreplay.streams import blurry


def make(width=0.5, transition="gaussian", seed=0, scale=1.0, sizes=(4000, 4000, 4000, 4000)):
    y = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    x = torch.arange(len(y))
    pools = [(y == n).nonzero().squeeze(1) for n in range(len(sizes))]
    generator = torch.Generator().manual_seed(seed)
    return blurry(
        x,
        y,
        pools,
        batch_size=10,
        generator=generator,
        scale=scale,
        width=width,
        transition=transition,
    )


@pytest.mark.parametrize("transition", ["gaussian", "linear"])
def test_every_example_comes_exactly_once(transition):
    stream = make(transition=transition, sizes=(3000, 500, 1500))
    assert torch.equal(stream.order.sort().values, torch.arange(5000))
    assert len(make(scale=0.5).order) == 8000


def shares(stream, pools=4, windows=40):
    labels = stream.y[stream.order].reshape(windows, -1)
    return torch.stack([(labels == n).double().mean(dim=1) for n in range(pools)], dim=1)


def test_gaussian_shares_follow_the_difference_of_two_normal_distributions():
    width = 0.3
    found = shares(make(width=width))
    moments = (torch.arange(40) + 0.5) / 40
    for pool in range(4):
        begin, end, spread = pool / 4, (pool + 1) / 4, width / 4
        # reflected at both ends of the stream
        expected = sum(
            norm.cdf((end + s - t) / spread) - norm.cdf((begin + s - t) / spread)
            for t, s in ((moments, 0.0), (-moments, 0.0), (2 - moments, 0.0))
        )
        assert (found[:, pool] - torch.tensor(expected)).abs().max() < 0.06


def test_linear_transitions_rise_linearly_over_their_width():
    found = shares(make(width=1.0, transition="linear"), windows=80)
    moments = (torch.arange(80) + 0.5) / 80
    # the second pool fills [1/4, 1/2]; its share rises from 1/8 to 3/8 and falls to 5/8
    rising = ((moments - 1 / 8) * 4).clamp(0, 1)
    falling = ((5 / 8 - moments) * 4).clamp(0, 1)
    assert (found[:, 1] - torch.minimum(rising, falling)).abs().max() < 0.09


def test_no_boundary_exists_and_without_width_there_is_one():
    middle = shares(make(width=0.5))[10]
    assert 0.3 < float(middle[0]) < 0.7
    sharp = shares(make(width=0.0))
    assert bool(((sharp == 0) | (sharp == 1)).all())


def test_order_depends_on_the_seed_alone():
    assert torch.equal(make(seed=1).order, make(seed=1).order)
    assert not torch.equal(make(seed=1).order, make(seed=2).order)


def test_bad_options_are_refused():
    with pytest.raises(UserError, match="width is -1"):
        make(width=-1)
    with pytest.raises(UserError, match="transition is 'sharp'"):
        make(transition="sharp")

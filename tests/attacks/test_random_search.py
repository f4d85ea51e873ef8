import pytest
import torch
from torch import nn

from evoreplay import UserError
from evoreplay.attacks import RandomSearch


def two_sided():
    """Class 1 where the mean of the pixels is above a half, by a wide margin of logits."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 2))
    with torch.no_grad():
        model[1].weight.copy_(torch.stack([-torch.ones(16), torch.ones(16)]))
        model[1].bias.copy_(torch.tensor([8.0, -8.0]))
    return model


def attacked(eps, **options):
    x = torch.full((20, 1, 4, 4), 0.45)
    y = torch.zeros(20, dtype=torch.long)
    found = RandomSearch(eps=eps, tries=300, **options).attack(
        two_sided(), x, y, generator=torch.Generator().manual_seed(0)
    )
    return x, found


def test_it_finds_a_corner_of_the_ball_that_fools_where_there_is_one():
    x, found = attacked(0.2)
    assert bool(found.fooled.all())
    torch.testing.assert_close((found.x - x).abs(), torch.full_like(x, 0.2))


def test_it_finds_nothing_where_there_is_nothing():
    # every pixel would have to rise by more than 0.05
    _, found = attacked(0.04)
    assert not bool(found.fooled.any())


@pytest.mark.parametrize("options", [{"share": 0.0}, {"share": 2.0}, {"eps": float("nan")}])
def test_bad_options_are_refused(options):
    with pytest.raises(UserError):
        RandomSearch(**options)

import pytest
import torch
from torch import nn

from evoreplay import UserError
from evoreplay.attacks import InPixelSpace


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 255.0)])
def test_black_and_white_become_the_ends_of_the_models_range(low, high):
    model = InPixelSpace(nn.Identity(), low=low, high=high)
    assert model(torch.tensor([0.0, 0.5, 1.0])).tolist() == [low, (low + high) / 2, high]


def test_an_empty_range_is_refused():
    with pytest.raises(UserError, match="give low < high"):
        InPixelSpace(nn.Identity(), low=1.0, high=1.0)

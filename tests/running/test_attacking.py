import pytest
import torch

from evoreplay import UserError
from evoreplay.datasets import Dataset
from evoreplay.running.attacking import require_pixels


def test_tokens_are_no_pixels():
    tokens = torch.zeros(4, 12, dtype=torch.int64)
    text = Dataset("news", tokens, torch.zeros(4), None, None, classes=2, natural=False)
    with pytest.raises(UserError, match=r"news holds examples of type int64 and shape \(12,\)"):
        require_pixels(text)

import pytest
import torch

from evoreplay import UserError
from evoreplay.datasets import Dataset
from evoreplay.running.attacking import balanced, require_pixels


def test_images_are_balanced_over_classes_and_always_the_same():
    labels = torch.tensor([2, 0, 0, 0, 1, 2, 0, 1, 2])
    assert balanced(labels, 3).tolist() == [0, 1, 4]
    assert balanced(labels, 5).tolist() == [0, 1, 2, 4, 7]
    assert balanced(labels, 9).tolist() == list(range(9))
    many = torch.randint(10, (5000,), generator=torch.Generator().manual_seed(0))
    assert many[balanced(many, 1000)].bincount().tolist() == [100] * 10


def test_tokens_are_no_pixels():
    tokens = torch.zeros(4, 12, dtype=torch.int64)
    text = Dataset("news", tokens, torch.zeros(4), None, None, classes=2, natural=False)
    with pytest.raises(UserError, match=r"news holds examples of type int64 and shape \(12,\)"):
        require_pixels(text)

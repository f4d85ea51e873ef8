import torch

from evoreplay.datasets import digits


def test_the_embedded_digits_are_1797_images_of_ten_classes_spread_over_a_byte():
    data = digits()
    assert data.train_x.shape == (1797, 1, 8, 8)
    assert data.train_x.dtype == torch.uint8
    assert (int(data.train_x.min()), int(data.train_x.max())) == (0, 255)
    assert data.train_y.unique().tolist() == list(range(10))
    assert data.test_x is None
    assert not data.natural

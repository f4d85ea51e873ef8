import pytest
import torch

from evoreplay import ResNet18, UserError


@pytest.mark.parametrize(
    ("classes", "size", "count"), [(10, 32, 1_094_750), (100, 32, 1_109_240), (100, 84, 1_157_240)]
)
def test_the_reduced_resnet_has_the_parameters_of_the_literature(classes, size, count):
    model = ResNet18(classes, size=size)
    assert sum(p.numel() for p in model.parameters()) == count
    assert model(torch.zeros(2, 3, size, size)).shape == (2, classes)


def test_it_sees_160_features_at_32_pixels_and_640_at_84():
    assert ResNet18(10).features(torch.zeros(1, 3, 32, 32)).shape == (1, 160)
    assert ResNet18(10, size=84).features(torch.zeros(1, 3, 84, 84)).shape == (1, 640)


def test_other_sizes_and_one_channel_work_and_tiny_images_are_refused():
    assert ResNet18(10, size=28, channels=1)(torch.zeros(2, 1, 28, 28)).shape == (2, 10)
    with pytest.raises(UserError, match="8 pixels are too small"):
        ResNet18(10, size=8)

import pytest

from evoreplay.datasets.catalogue import KNOWN, what_is_missing
from evoreplay.datasets.layout import Counts


@pytest.mark.parametrize(
    ("name", "train", "test", "missing"),
    [
        ("cifar10", 50_000, 10_000, None),
        ("cifar10", 50_000, 400, "400 of 10000 test images"),
        ("cifar100", 2_000, 10_000, "2000 of 50000 training images"),
        (
            "mini-imagenet",
            15_200,
            3_800,
            "15200 of 48000 training and 3800 of 12000 test images",
        ),
        ("mini-imagenet", 60_000, None, None),
        ("mini-imagenet", 19_000, None, "19000 of 60000 images"),
        ("mnist", 60_000, 10_000, None),
    ],
)
def test_a_subset_says_what_is_there_of_what(name, train, test, missing):
    assert what_is_missing(KNOWN[name], Counts(train, test)) == missing

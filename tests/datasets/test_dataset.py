import dataclasses

import pytest
import torch

from evoreplay.datasets import Dataset


@pytest.fixture
def dataset():
    x, y = torch.zeros(4, 1, 2, 2, dtype=torch.uint8), torch.tensor([0, 1, 1, 0])
    return Dataset("small", x, y, None, None, classes=2, natural=False)


def test_a_dataset_is_whole_and_in_label_order_unless_it_says_otherwise(dataset):
    said = (dataset.subset, dataset.groups, dataset.class_names, dataset.token_ids)
    assert said == (None, None, None, None)


def test_a_dataset_that_runs_share_cannot_be_changed(dataset):
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.classes = 3

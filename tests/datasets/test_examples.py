import numpy as np
import pytest
import torch
from PIL import Image

from evoreplay.datasets import from_examples
from evoreplay.errors import UserError


class Squares:
    """The least that counts as examples: a length and pairs."""

    def __init__(self, labels):
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return np.full((1, 2, 2), index, np.uint8), self.labels[index]


def test_any_object_with_a_length_and_pairs_is_a_dataset():
    dataset = from_examples(Squares([0, 1, 2, 0]), name="squares")
    assert dataset.name == "squares"
    assert dataset.classes == 3
    assert dataset.test_x is None
    assert dataset.train_y.tolist() == [0, 1, 2, 0]
    assert dataset.train_x[:, 0, 0, 0].tolist() == [0, 1, 2, 3]
    assert dataset.train_x.dtype == torch.uint8


def test_a_test_part_can_be_given():
    dataset = from_examples(Squares([0, 1]), test=Squares([1, 0, 1]))
    assert dataset.test_y.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("x", "kind", "shape"),
    [
        (torch.zeros(3, 2, 2), torch.float32, (3, 2, 2)),
        (np.zeros(5), torch.float32, (5,)),
        ([1.0, 2.0], torch.float32, (2,)),
        (Image.new("RGB", (5, 4)), torch.uint8, (3, 4, 5)),
        (Image.new("L", (5, 4)), torch.uint8, (1, 4, 5)),
    ],
)
def test_examples_may_be_tensors_arrays_lists_or_images(x, kind, shape):
    dataset = from_examples([(x, 0), (x, torch.tensor(1))])
    assert dataset.train_x.dtype == kind
    assert dataset.train_x.shape == (2, *shape)


@pytest.mark.parametrize("label", [1.0, "1", None, torch.tensor(1.5), torch.tensor([1, 2])])
def test_a_label_that_is_not_an_integer_is_named_with_its_example(label):
    with pytest.raises(UserError, match="of example 1 of own is not an integer"):
        from_examples(Squares([0, label]))


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([], "own is empty"),
        ([1, 2], "example 0 of own is not a pair"),
        ([([0.0], 0), ([0.0, 1.0], 1)], r"shape \(1,\), example 1 .* shape \(2,\)"),
        ([([0.0], 0), ([0.0], -1)], "label -1 of example 1 of own is below 0"),
        ([([0.0], 0), ([0.0], 0)], "one class only"),
        ([([0.0], 0), ([0.0], 2)], "class 1 of own has no training images"),
        ([("text", 0), ("text", 1)], "give a tensor or an array"),
    ],
)
def test_what_cannot_be_used_is_refused(examples, message):
    with pytest.raises(UserError, match=message):
        from_examples(examples)


def test_the_number_of_classes_can_be_checked():
    assert from_examples(Squares([0, 1]), classes=2).classes == 2
    with pytest.raises(UserError, match="2 classes, not 5"):
        from_examples(Squares([0, 1]), classes=5)

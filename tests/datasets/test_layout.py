import numpy as np
import pytest

from evoreplay.datasets.layout import (
    Parts,
    as_labels,
    count_classes,
    files_by_part,
    training_and_test,
)
from evoreplay.errors import UserError


def parts(train, test=None, names=None):
    def examples(labels):
        return None if labels is None else np.zeros((len(labels), 1, 2, 2), np.uint8)

    def integers(labels):
        return None if labels is None else np.array(labels, np.int64)

    return Parts(examples(train), integers(train), examples(test), integers(test), names)


def test_classes_are_counted_from_the_labels():
    assert count_classes(parts([0, 2, 1, 1], [0, 1, 2]), "data") == 3


def test_a_class_without_training_images_is_named():
    with pytest.raises(UserError, match=r"class 1 \(dog\) of data has no training images"):
        count_classes(parts([0, 2, 2], names=("cat", "dog", "owl")), "data")


def test_a_class_without_test_images_is_named():
    with pytest.raises(UserError, match=r"class 1 of data has no test images; .*held out"):
        count_classes(parts([0, 1, 2], [0, 2]), "data")


def test_one_class_is_not_enough_for_a_stream():
    with pytest.raises(UserError, match="one class only"):
        count_classes(parts([0, 0]), "data")


def test_no_examples_at_all_are_refused():
    with pytest.raises(UserError, match="is empty"):
        count_classes(parts([]), "data")


def test_a_label_far_beyond_the_others_is_refused_without_filling_the_memory():
    with pytest.raises(UserError, match="label 1000000000000 but only 2"):
        count_classes(parts([0, 10**12]), "data")


def test_parts_of_different_shape_are_refused():
    differing = parts([0, 1], [0, 1])._replace(test_x=np.zeros((2, 1, 3, 3), np.uint8))
    with pytest.raises(UserError, match="bring them to one shape"):
        count_classes(differing, "data")


def test_examples_and_labels_of_different_number_are_refused():
    with pytest.raises(UserError, match="2 examples but 3 labels"):
        count_classes(parts([0, 1])._replace(train_y=np.array([0, 1, 1])), "data")


@pytest.mark.parametrize("labels", [[0.0, 1.0], ["a", "b"], [[0, 1], [1, 0]], [True, False]])
def test_labels_that_are_not_integers_are_refused(labels):
    with pytest.raises(UserError, match="one integer per example"):
        as_labels(np.array(labels), "data")


def test_a_negative_label_is_named_with_its_example():
    with pytest.raises(UserError, match="label -1 of example 2 of data"):
        as_labels(np.array([0, 1, -1]), "data")


def test_a_column_of_labels_is_flattened():
    assert as_labels(np.array([[3], [1]], np.uint8), "data").tolist() == [3, 1]


def test_validation_data_are_tested_on_only_if_nothing_else_is():
    assert training_and_test(["a"], ["b"], []) == (["a"], ["b"])
    assert training_and_test(["a"], ["b"], ["c"]) == (["a", "b"], ["c"])


def test_files_are_told_apart_by_the_part_they_are_called_after(tmp_path):
    for name in ("train-0.csv", "train_1.csv", "valid.csv", "test.csv", "trained.csv", "notes.csv"):
        (tmp_path / name).write_text("")
    (tmp_path / "train.folder").mkdir()
    splits = files_by_part(tmp_path.iterdir())
    # with a test part, validation is for training
    assert [file.name for file in splits.train] == ["train-0.csv", "train_1.csv", "valid.csv"]
    assert [file.name for file in splits.test] == ["test.csv"]
    assert files_by_part([tmp_path / "test.csv"]) is None

import pytest

from evoreplay.datasets.image_folder import find_image_folder
from evoreplay.errors import UserError


def test_a_class_is_a_folder_in_the_order_of_names(tmp_path, write_images):
    write_images(tmp_path / "dog", 3)
    write_images(tmp_path / "cat", 2)
    layout = find_image_folder(tmp_path)
    parts = layout.read()
    assert layout.counts() == (5, None)
    assert parts.names == ("cat", "dog")
    assert parts.train_y.tolist() == [0, 0, 1, 1, 1]
    assert parts.train_x[:, 0, 0, 0].tolist() == [0, 1, 0, 1, 2]


def test_parts_have_the_same_labels(tmp_path, write_images):
    for part, count in (("train", 3), ("val", 2), ("test", 1)):
        for name in ("b", "a"):
            write_images(tmp_path / part / name, count)
    layout = find_image_folder(tmp_path)
    parts = layout.read()
    assert layout.counts() == (10, 2)
    assert parts.train_y.tolist() == [0] * 5 + [1] * 5
    assert parts.test_y.tolist() == [0, 1]


def test_validation_images_are_the_test_part_if_there_is_no_other(tmp_path, write_images):
    for part, count in (("train", 3), ("val", 1)):
        for name in "ab":
            write_images(tmp_path / part / name, count)
    assert find_image_folder(tmp_path).counts() == (6, 2)


@pytest.mark.parametrize("prefix", ["meta_", ""])
def test_parts_that_share_no_class_are_merged(tmp_path, write_images, prefix):
    for part, classes in (("train", "ad"), ("val", "b"), ("test", "c")):
        for name in classes:
            write_images(tmp_path / f"{prefix}{part}" / name)
    parts = find_image_folder(tmp_path).read()
    assert parts.test_x is None
    assert parts.names == ("a", "b", "c", "d")
    assert parts.train_y.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_other_files_and_hidden_folders_are_left_out(tmp_path, write_images):
    for name in ("a", "b", ".git", "__MACOSX"):
        write_images(tmp_path / name, 1)
    (tmp_path / "a" / "notes.txt").write_text("none")
    (tmp_path / "a" / ".hidden.png").write_text("none")
    assert find_image_folder(tmp_path).read().train_y.tolist() == [0, 1]


def test_an_empty_class_folder_is_named(tmp_path, write_images):
    write_images(tmp_path / "a")
    (tmp_path / "b").mkdir()
    with pytest.raises(UserError, match=r"the class folder .*b holds no images"):
        find_image_folder(tmp_path).read()


def test_two_sizes_are_refused_with_both_files_named(tmp_path, write_images):
    write_images(tmp_path / "a")
    write_images(tmp_path / "b", size=(5, 4))
    with pytest.raises(UserError, match=r"a/0.png has 4x4 pixels, .*b/0.png has 5x4"):
        find_image_folder(tmp_path).read()


def test_a_file_that_is_no_image_is_named(tmp_path, write_images):
    write_images(tmp_path / "a")
    (tmp_path / "a" / "1.png").write_text("no image")
    with pytest.raises(UserError, match=r"a/1.png is not an image that can be read"):
        find_image_folder(tmp_path).read()


def test_a_folder_without_classes_is_not_taken(tmp_path, write_images):
    write_images(tmp_path)
    assert find_image_folder(tmp_path) is None
    assert find_image_folder(tmp_path / "missing") is None

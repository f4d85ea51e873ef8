import gzip
import struct

import numpy as np
import pytest

from evoreplay.datasets.idx import find_idx
from evoreplay.errors import UserError


def idx(array):
    return struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes()


def write(folder, part, count, end=""):
    folder.mkdir(parents=True, exist_ok=True)
    images = np.arange(count * 12, dtype=np.uint8).reshape(count, 4, 3)
    labels = np.arange(count, dtype=np.uint8) % 2
    for name, array in (("images-idx3", images), ("labels-idx1", labels)):
        data = idx(array)
        file = folder / f"{part}-{name}-ubyte{end}"
        file.write_bytes(gzip.compress(data) if end else data)
    return images


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("below", ["", "raw", "MNIST/raw"])
def test_both_parts_are_read_plain_or_compressed(tmp_path, end, below):
    images = write(tmp_path / below, "train", 5, end)
    write(tmp_path / below, "t10k", 2, end)
    layout = find_idx(tmp_path)
    parts = layout.read()
    assert layout.counts() == (5, 2)
    assert len(layout.files()) == 4
    np.testing.assert_array_equal(parts.train_x, images[:, np.newaxis])
    assert parts.train_y.tolist() == [0, 1, 0, 1, 0]
    assert parts.test_x.shape == (2, 1, 4, 3)


def test_the_test_part_may_be_missing(tmp_path):
    write(tmp_path, "train", 5)
    assert find_idx(tmp_path).counts() == (5, None)


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("keep", [0, 3, 30, 45])
def test_a_file_that_was_cut_off_is_refused(tmp_path, end, keep):
    write(tmp_path, "train", 5, end)
    file = tmp_path / f"train-images-idx3-ubyte{end}"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(UserError, match=r"train-images-idx3-ubyte.* is not a whole idx file"):
        find_idx(tmp_path).read()


def test_another_kind_of_numbers_is_refused(tmp_path):
    write(tmp_path, "train", 5)
    file = tmp_path / "train-images-idx3-ubyte"
    file.write_bytes(b"\x00\x00\x0d" + file.read_bytes()[3:])
    with pytest.raises(UserError, match="does not begin like an idx file of bytes"):
        find_idx(tmp_path).counts()


def test_another_folder_is_not_taken(tmp_path):
    assert find_idx(tmp_path) is None


def test_a_compressed_file_that_never_ends_is_read_only_as_far_as_its_header_says(tmp_path):
    write(tmp_path, "train", 20, ".gz")
    images = next(tmp_path.glob("*images*"))
    whole = gzip.decompress(images.read_bytes())
    images.write_bytes(gzip.compress(whole + bytes(50_000_000)))
    with pytest.raises(UserError, match="bytes of data where"):
        find_idx(tmp_path).read()

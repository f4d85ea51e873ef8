import numpy as np
import pytest

from evoreplay.datasets.cifar_binary import find_cifar_binary, write_cifar10_batch
from evoreplay.errors import UserError


@pytest.mark.parametrize("below", ["", "cifar-10-batches-bin"])
def test_cifar_10_batches_are_read_in_order(tmp_path, cifar10_records, below):
    (tmp_path / below).mkdir(exist_ok=True)
    for number in range(1, 6):
        file = tmp_path / below / f"data_batch_{number}.bin"
        file.write_bytes(cifar10_records([number, 9], seed=number))
    (tmp_path / below / "test_batch.bin").write_bytes(cifar10_records([3, 4, 5]))
    layout = find_cifar_binary(tmp_path)
    parts = layout.read()
    assert layout.counts() == (10, 3)
    assert parts.train_y.tolist() == [1, 9, 2, 9, 3, 9, 4, 9, 5, 9]
    assert parts.test_x.shape == (3, 3, 32, 32)
    assert parts.test_x.tobytes() == b"".join(
        record[1:] for record in np.split(np.frombuffer(cifar10_records([3, 4, 5]), np.uint8), 3)
    )


def test_cifar_100_gives_its_fine_labels(tmp_path):
    record = bytes([7, 42]) + bytes(range(256)) * 12
    folder = tmp_path / "cifar-100-binary"
    folder.mkdir()
    (folder / "train.bin").write_bytes(record * 2)
    (folder / "test.bin").write_bytes(record)
    parts = find_cifar_binary(tmp_path).read()
    assert parts.train_y.tolist() == [42, 42]
    assert parts.test_x[0].tobytes() == record[2:]


def test_without_test_batch_there_is_no_test_part(tmp_path, cifar10_records):
    (tmp_path / "data_batch_1.bin").write_bytes(cifar10_records([0, 1]))
    assert find_cifar_binary(tmp_path).counts() == (2, None)
    assert find_cifar_binary(tmp_path).read().test_x is None


@pytest.mark.parametrize("length", [0, 3072, 6000])
def test_a_file_that_was_cut_off_is_refused(tmp_path, cifar10_records, length):
    (tmp_path / "data_batch_1.bin").write_bytes(cifar10_records([0, 1])[:length])
    with pytest.raises(UserError, match=f"data_batch_1.bin has {length} bytes"):
        find_cifar_binary(tmp_path).read()


def test_what_is_written_is_read_back(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (4, 3, 32, 32), np.uint8)
    write_cifar10_batch(tmp_path / "data_batch_1.bin", images, np.array([3, 1, 4, 1]))
    parts = find_cifar_binary(tmp_path).read()
    np.testing.assert_array_equal(parts.train_x, images)
    assert parts.train_y.tolist() == [3, 1, 4, 1]


def test_another_folder_is_not_taken(tmp_path):
    assert find_cifar_binary(tmp_path) is None

import hashlib

import pytest

from evoreplay.datasets import check_dataset, known_datasets
from evoreplay.datasets.sources import CIFAR10_FILES
from evoreplay.errors import UserError


def listed(name, data):
    return next(entry for entry in known_datasets(data) if entry.name == name)


def test_every_name_is_listed_with_its_terms(tmp_path):
    entries = known_datasets(tmp_path)
    assert [entry.name for entry in entries] == [
        "digits",
        "cifar10",
        "cifar100",
        "mini-imagenet",
        "mnist",
        "fashion-mnist",
        "clinc150",
    ]
    assert all(entry.terms for entry in entries)
    assert [entry.name for entry in entries if entry.where] == ["digits"]
    assert [entry.name for entry in entries if entry.fetchable] == [
        "cifar10",
        "cifar100",
        "mnist",
        "fashion-mnist",
    ]


def test_a_subset_is_marked_without_decoding_anything(tmp_path, write_parquet):
    file = write_parquet(tmp_path / "cifar100" / "train.parquet", [0, 1], [b"no", b"image"])
    entry = listed("cifar100", tmp_path)
    assert entry.where == str(tmp_path / "cifar100")
    assert entry.size == file.stat().st_size
    assert entry.subset == "2 of 60000 images"


def test_damaged_data_are_a_problem_of_their_own_line_only(tmp_path):
    (tmp_path / "cifar10").mkdir()
    (tmp_path / "cifar10" / "train.parquet").write_bytes(b"PAR1")
    assert "not a whole Parquet file" in listed("cifar10", tmp_path).problem
    assert listed("mnist", tmp_path).problem is None


def test_a_check_counts_and_compares(tmp_path, cifar10_records):
    folder = tmp_path / "cifar10"
    folder.mkdir()
    (folder / "data_batch_1.bin").write_bytes(cifar10_records([*range(10), 3]))
    (folder / "test_batch.bin").write_bytes(cifar10_records(range(10)))
    right = hashlib.sha256((folder / "test_batch.bin").read_bytes()).hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{right}  cifar10/test_batch.bin\n")
    checked = check_dataset("cifar10", data=tmp_path)
    assert checked.shape == (3, 32, 32)
    assert checked.train_per_class == [1, 1, 1, 2, 1, 1, 1, 1, 1, 1]
    assert checked.test_per_class == [1] * 10
    assert checked.subset is not None
    batch, test = checked.files
    assert batch.sha256 != CIFAR10_FILES["data_batch_1.bin"]
    assert (batch.matches, test.matches) == (False, True)


def test_ones_own_data_have_no_expected_checksums(tmp_path, write_images):
    for name in "ab":
        write_images(tmp_path / "own" / name)
    checked = check_dataset(f"folder:{tmp_path / 'own'}")
    assert [file.matches for file in checked.files] == [None] * 4
    assert checked.test_per_class is None


def test_digits_can_be_checked():
    checked = check_dataset("digits")
    assert sum(checked.train_per_class) == 1797
    assert checked.files == []


def test_a_check_of_what_is_not_there_says_so(tmp_path):
    with pytest.raises(UserError, match="was not found"):
        check_dataset("mnist", data=tmp_path)


def test_the_real_data_are_listed_with_their_subsets(real_data):
    assert listed("cifar10", None).subset is None
    assert listed("cifar10", None).size > 100_000_000
    if not (real_data / "cifar100").exists():
        assert listed("cifar100", None).where is None
    assert listed("mini-imagenet", None).subset == (
        "15200 of 48000 training and 3800 of 12000 test images"
    )


@pytest.mark.slow
def test_the_real_files_have_the_listed_checksums(real_data):
    for name in ("cifar10", "mini-imagenet"):
        assert [file.matches for file in check_dataset(name).files] == [True, True]

import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
import torch

from evoreplay.datasets import load_dataset
from evoreplay.datasets.places import user_cache
from evoreplay.errors import UserError


def test_digits_need_no_files():
    assert load_dataset("digits").classes == 10


def test_a_known_dataset_is_loaded_and_its_subset_stated(tmp_path, cifar10_records):
    (tmp_path / "cifar10").mkdir()
    (tmp_path / "cifar10" / "data_batch_1.bin").write_bytes(cifar10_records(range(10)))
    (tmp_path / "cifar10" / "test_batch.bin").write_bytes(cifar10_records(range(10)))
    dataset = load_dataset("cifar10", data=tmp_path)
    assert (dataset.name, dataset.classes, dataset.natural) == ("cifar10", 10, True)
    assert dataset.train_x.shape == (10, 3, 32, 32)
    assert dataset.train_x.dtype == torch.uint8
    assert dataset.test_y.dtype == torch.int64
    assert dataset.subset == "10 of 50000 training and 10 of 10000 test images"


def test_mini_imagenet_in_meta_folders_has_no_test_part(tmp_path, write_images):
    for number in range(100):
        part = "meta_train" if number < 64 else "meta_val" if number < 80 else "meta_test"
        write_images(tmp_path / "mini_imagenet" / part / f"n{number:03d}", 1)
    dataset = load_dataset("mini-imagenet", data=tmp_path)
    assert dataset.classes == 100
    assert dataset.test_x is None
    assert dataset.subset == "100 of 60000 images"


def test_a_known_dataset_with_other_classes_is_refused(tmp_path, write_parquet):
    write_parquet(tmp_path / "cifar10" / "train.parquet", [0, 1, 2])
    with pytest.raises(UserError, match="has 3 classes, cifar10 has 10"):
        load_dataset("cifar10", data=tmp_path)


def test_ones_own_data_come_by_path(tmp_path, write_images, write_parquet):
    for name in "ab":
        write_images(tmp_path / "images" / name)
    write_parquet(tmp_path / "rows" / "train.parquet", [0, 1])
    np.savez(tmp_path / "arrays.npz", x=np.zeros((4, 2, 2), np.uint8), y=[0, 1, 2, 0])
    for name, classes in (("folder:images", 2), ("parquet:rows", 2), ("npz:arrays.npz", 3)):
        prefix, _, path = name.partition(":")
        dataset = load_dataset(f"{prefix}:{tmp_path / path}")
        assert (dataset.classes, dataset.subset, dataset.natural) == (classes, None, False)


def test_a_folder_with_one_class_is_refused(tmp_path, write_images):
    write_images(tmp_path / "images" / "a")
    with pytest.raises(UserError, match="one class only"):
        load_dataset(f"folder:{tmp_path / 'images'}")


def test_nothing_is_written_beside_the_data(tmp_path, write_parquet, below):
    write_parquet(tmp_path / "rows" / "train.parquet", [0, 1])
    load_dataset(f"parquet:{tmp_path / 'rows'}")
    load_dataset(f"parquet:{tmp_path / 'rows'}", cache=tmp_path / "other")
    assert below(tmp_path / "rows") == ["train.parquet"]
    assert (user_cache() / "decoded").is_dir()
    assert (tmp_path / "other" / "decoded").is_dir()


def test_loaded_images_can_be_used_as_tensors_without_a_warning(tmp_path, write_parquet):
    write_parquet(tmp_path / "rows" / "train.parquet", [0, 1])
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            dataset = load_dataset(f"parquet:{tmp_path / 'rows'}")
        assert dataset.train_x[torch.tensor([1])].float().mean() > 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(tmp_path, write_images):
    for name in "ab":
        write_images(tmp_path / "images" / name)
    (tmp_path / "images" / "a").chmod(0)
    with pytest.raises(UserError, match="cannot be read"):
        load_dataset(f"folder:{tmp_path / 'images'}")


def test_the_real_sample_is_read_by_path_but_not_by_name(real_data):
    dataset = load_dataset(f"parquet:{real_data / 'cifar100_sample'}")
    assert dataset.classes == 100
    assert torch.bincount(dataset.test_y).tolist() == [4] * 100
    if not (real_data / "cifar100").exists():
        with pytest.raises(UserError, match="cifar100 was not found"):
            load_dataset("cifar100")


def test_real_text_is_refused(real_data):
    with pytest.raises(UserError, match="For texts give text:PATH"):
        load_dataset(f"parquet:{real_data / 'clinc150'}")


@pytest.mark.slow
def test_the_real_mini_imagenet_is_a_stated_subset(real_data):
    dataset = load_dataset("mini-imagenet")
    assert dataset.train_x.shape == (15_200, 3, 84, 84)
    assert dataset.subset == "15200 of 48000 training and 3800 of 12000 test images"
    assert torch.bincount(dataset.train_y).tolist() == [152] * 100


MEASURE = """
import time
from evoreplay.datasets import load_dataset

def resident():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

before, start = resident(), time.perf_counter()
dataset = load_dataset("cifar10")
print(time.perf_counter() - start, resident() - before)
"""


@pytest.mark.slow
def test_the_second_load_of_real_cifar_10_takes_no_time_and_no_memory(real_data):
    dataset = load_dataset("cifar10")
    assert dataset.subset is None
    assert torch.bincount(dataset.train_y).tolist() == [5000] * 10
    command = [sys.executable, "-c", MEASURE]
    start = time.perf_counter()
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = map(float, output.split())
    print(f"{seconds:.4f} s, {megabytes:.1f} MB; {time.perf_counter() - start:.1f} s with imports")
    assert seconds < 2
    assert megabytes < 20

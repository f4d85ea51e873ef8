"""The official binary files of CIFAR-10 and CIFAR-100: records of label bytes and 3072 pixels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evoreplay.datasets.layout import Array, Counts, Parts
from evoreplay.errors import UserError, require

CHANNELS, SIZE = 3, 32
PIXELS = CHANNELS * SIZE * SIZE
CIFAR10_TRAIN = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
CIFAR10_TEST = "test_batch.bin"
CIFAR100_TRAIN, CIFAR100_TEST = "train.bin", "test.bin"
SUBFOLDERS = ("", "cifar-10-batches-bin", "cifar-100-binary")


@dataclass(frozen=True)
class CifarBinaryLayout:
    """Binary files; CIFAR-100 has two label bytes, coarse and fine, of which fine is used."""

    root: Path
    train: tuple[Path, ...]
    test: Path | None
    label_bytes: int
    kind: str = "cifar binary"

    def files(self) -> list[Path]:
        return [*self.train, *([self.test] if self.test else [])]

    def counts(self) -> Counts:
        train = sum(self._records(file) for file in self.train)
        return Counts(train, self._records(self.test) if self.test else None)

    def read(self) -> Parts:
        parts = [self._read(file) for file in self.train]
        train_x = np.concatenate([images for images, _ in parts])
        train_y = np.concatenate([labels for _, labels in parts])
        test_x, test_y = self._read(self.test) if self.test else (None, None)
        return Parts(train_x, train_y, test_x, test_y)

    def _records(self, file: Path) -> int:
        length, record = file.stat().st_size, self.label_bytes + PIXELS
        if length == 0 or length % record:
            raise UserError(
                f"{file} has {length} bytes, which is not a whole number of records of {record} "
                "bytes; it was cut off, or is another format: copy or download it again"
            )
        return length // record

    def _read(self, file: Path) -> tuple[Array, Array]:
        count = self._records(file)
        records = np.fromfile(file, np.uint8).reshape(count, self.label_bytes + PIXELS)
        images = records[:, self.label_bytes :].reshape(count, CHANNELS, SIZE, SIZE)
        return images, records[:, self.label_bytes - 1].astype(np.int64)


def find_cifar_binary(path: Path) -> CifarBinaryLayout | None:
    """In a folder, or in the folder below it that the official archive has."""
    for folder in (path / below for below in SUBFOLDERS):
        batches = tuple(folder / name for name in CIFAR10_TRAIN if (folder / name).is_file())
        if batches:
            return CifarBinaryLayout(folder, batches, _if_there(folder / CIFAR10_TEST), 1)
        if (folder / CIFAR100_TRAIN).is_file():
            test = _if_there(folder / CIFAR100_TEST)
            return CifarBinaryLayout(folder, (folder / CIFAR100_TRAIN,), test, 2)
    return None


def write_cifar10_batch(file: Path, images: Array, labels: Array) -> None:
    """Images (number, 3, 32, 32) and labels as one official CIFAR-10 file."""
    require(len(images) == len(labels), f"{len(images)} images but {len(labels)} labels")
    records = np.empty((len(images), 1 + PIXELS), np.uint8)
    records[:, 0] = labels
    records[:, 1:] = images.reshape(len(images), PIXELS)
    file.write_bytes(records.tobytes())


def _if_there(file: Path) -> Path | None:
    return file if file.is_file() else None

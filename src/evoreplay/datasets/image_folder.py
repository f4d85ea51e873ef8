"""Image folders: one folder per class, perhaps below train/, val/ and test/.

In the layout for few-shot learning (`meta_train`, `meta_val`, `meta_test`, or any three parts that
share no class) the parts are merged: then all classes are learned, and no part is a test part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from evoreplay.datasets.decode import ImageStack, Pixels, alike
from evoreplay.datasets.layout import Array, Counts, Parts, training_and_test
from evoreplay.errors import UserError

SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")
TRAIN, VALIDATION, TEST = ("train",), ("val", "validation", "valid"), ("test",)
META = ("meta_train", "meta_val", "meta_test")
BATCH = 2048

ByClass = dict[str, list[Path]]


@dataclass(frozen=True)
class ImageFolderLayout:
    """Folders of a training part and, perhaps, of a test part; classes in the order of names."""

    root: Path
    train: tuple[Path, ...]
    test: tuple[Path, ...]
    kind: str = "image folder"

    def files(self) -> list[Path]:
        return [image for part in self._parts for images in part.values() for image in images]

    def counts(self) -> Counts:
        train, test = (sum(map(len, part.values())) for part in self._parts)
        return Counts(train, test if self.test else None)

    def read(self) -> Parts:
        train, test = self._parts
        names = tuple(sorted({*train, *test}))
        train_x, train_y = _read(train, names)
        if not self.test:
            return Parts(train_x, train_y, None, None, names)
        test_x, test_y = _read(test, names)
        images = alike(train_x, test_x)
        return Parts(images[0], train_y, images[1], test_y, names)

    @cached_property
    def _parts(self) -> tuple[ByClass, ByClass]:
        return _images_by_class(self.train), _images_by_class(self.test)


def find_image_folder(path: Path) -> ImageFolderLayout | None:
    """Classes, or parts that hold classes, in the folders of `path`."""
    if not path.is_dir():
        return None
    meta = [path / name for name in META if (path / name).is_dir()]
    if meta:
        return ImageFolderLayout(path, tuple(meta), ())
    train, validation, test = (_present(path, names) for names in (TRAIN, VALIDATION, TEST))
    if not train:
        holds_images = any(_images(folder, limit=1) for folder in _class_folders(path))
        return ImageFolderLayout(path, (path,), ()) if holds_images else None
    if validation and test and _share_no_class([*train, *validation, *test]):
        return ImageFolderLayout(path, (*train, *validation, *test), ())
    splits = training_and_test(train, validation, test)
    return ImageFolderLayout(path, tuple(splits.train), tuple(splits.test))


def _present(path: Path, names: Sequence[str]) -> list[Path]:
    return [path / name for name in names if (path / name).is_dir()][:1]


def _share_no_class(parts: list[Path]) -> bool:
    names = [folder.name for part in parts for folder in _class_folders(part)]
    return len(names) == len(set(names))


def _class_folders(part: Path) -> list[Path]:
    return sorted(p for p in part.iterdir() if p.is_dir() and not p.name.startswith((".", "__")))


def _images(folder: Path, limit: int | None = None) -> list[Path]:
    found = []
    for file in folder.rglob("*"):
        if file.suffix.lower() in SUFFIXES and not file.name.startswith("."):
            found.append(file)
            if len(found) == limit:
                break
    return sorted(found)


def _images_by_class(parts: Sequence[Path]) -> ByClass:
    by_class: ByClass = {}
    for part in parts:
        for folder in _class_folders(part):
            images = _images(folder)
            if not images:
                raise UserError(
                    f"the class folder {folder} holds no images; add some "
                    f"({', '.join(SUFFIXES)}) or remove the folder"
                )
            by_class.setdefault(folder.name, []).extend(images)
    return by_class


def _read(by_class: ByClass, names: tuple[str, ...]) -> tuple[Pixels, Array]:
    paths: list[Path] = []
    labels: list[int] = []
    for name in sorted(by_class):
        paths += by_class[name]
        labels += [names.index(name)] * len(by_class[name])
    stack = ImageStack(len(paths))
    for start in range(0, len(paths), BATCH):
        batch = paths[start : start + BATCH]
        stack.add(batch, lambda number, batch=batch: str(batch[number]))  # type: ignore[misc]
    return stack.finished(), np.array(labels, np.int64)

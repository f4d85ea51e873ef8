import os
from pathlib import Path

import pytest

from evoreplay.datasets.download import FullDiskError, SourceFailedError, download
from evoreplay.datasets.sources import RemoteFile
from evoreplay.errors import UserError

DATA = os.urandom(3_000_000)


def ignore(_):
    pass


def test_a_file_is_fetched_whole_and_reported(server, tmp_path):
    reports = []
    path = download(server.serve("data.bin", DATA), tmp_path, reports.append)
    assert path == tmp_path / "data.bin"
    assert path.read_bytes() == DATA
    assert reports[0].done == 0
    assert reports[-1].done == reports[-1].total == len(DATA)
    assert [p.name for p in tmp_path.iterdir()] == ["data.bin"]


def test_a_connection_that_breaks_off_is_taken_up_where_it_broke(server, tmp_path):
    server.cut_after = [1_000_000, 500_000]
    path = download(server.serve("data.bin", DATA), tmp_path, ignore)
    assert path.read_bytes() == DATA
    assert [wanted for _, wanted in server.requests] == [
        None,
        "bytes=1000000-",
        "bytes=1500000-",
    ]


def test_a_later_call_goes_on_with_the_part_that_is_there(server, tmp_path):
    file = server.serve("data.bin", DATA)
    server.cut_after = [1_000_000, 0, 0, 0]
    with pytest.raises(SourceFailedError, match="ended after 1000000 of 3000000 bytes"):
        download(file, tmp_path, ignore)
    assert [p.name for p in tmp_path.iterdir()] == ["data.bin.part"]
    server.requests.clear()
    assert download(file, tmp_path, ignore).read_bytes() == DATA
    assert server.requests == [("/data.bin", "bytes=1000000-")]


def test_a_server_without_ranges_begins_anew(server, tmp_path):
    server.ranges = False
    server.cut_after = [1_000_000]
    assert download(server.serve("data.bin", DATA), tmp_path, ignore).read_bytes() == DATA


def test_a_part_of_another_file_is_thrown_away(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(bytes(1_000_000))
    assert download(server.serve("data.bin", DATA), tmp_path, ignore).read_bytes() == DATA


@pytest.mark.parametrize("length", [3_000_000, 4_000_000])
def test_a_part_that_is_too_long_is_thrown_away(server, tmp_path, length):
    (tmp_path / "data.bin.part").write_bytes(bytes(length))
    assert download(server.serve("data.bin", DATA), tmp_path, ignore).read_bytes() == DATA


def test_a_range_beyond_the_end_begins_anew(server, tmp_path):
    file = server.serve("data.bin", DATA[:10], size=len(DATA))
    (tmp_path / "data.bin.part").write_bytes(DATA[:100])
    with pytest.raises(SourceFailedError, match="answered 416"):
        download(file, tmp_path, ignore)
    assert [wanted for _, wanted in server.requests] == ["bytes=100-", None, "bytes=10-"]


def test_a_wrong_checksum_leaves_nothing(server, tmp_path):
    with pytest.raises(SourceFailedError, match=r"has the checksum .* not the published 00"):
        download(server.serve("data.bin", DATA, sha256="00"), tmp_path, ignore)
    assert list(tmp_path.iterdir()) == []


def test_more_than_was_announced_is_never_read(server, tmp_path):
    with pytest.raises(SourceFailedError, match="longer than the published 1000000 bytes"):
        download(server.serve("data.bin", DATA, size=1_000_000), tmp_path, ignore)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_fetched_again(server, tmp_path):
    file = server.serve("data.bin", DATA)
    (tmp_path / "data.bin").write_bytes(DATA)
    download(file, tmp_path, ignore)
    assert server.requests == []


def test_a_missing_file_and_a_missing_server_are_named(server, tmp_path):
    with pytest.raises(SourceFailedError, match=r"missing.bin answered 404"):
        download(RemoteFile(server.base + "missing.bin", "00", 3), tmp_path, ignore)
    with pytest.raises(SourceFailedError, match=r"could not be read: .*refused"):
        download(RemoteFile("http://127.0.0.1:9/data.bin", "00", 3), tmp_path, ignore)


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://127.0.0.1/a", "data.bin"])
def test_only_the_web_is_read(tmp_path, address):
    with pytest.raises(UserError, match="not an address of the web"):
        download(RemoteFile(address, "00", 3), tmp_path, ignore)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said_to_be_full(server, tmp_path):
    (tmp_path / "data.bin.part").symlink_to("/dev/full")
    with pytest.raises(FullDiskError, match="is full; make room"):
        download(server.serve("data.bin", DATA), tmp_path, ignore)
    assert not (tmp_path / "data.bin").exists()

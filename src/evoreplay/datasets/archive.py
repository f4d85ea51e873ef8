"""Files out of a tar.gz that nobody has to trust."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from evoreplay.datasets.download import SourceFailedError

BLOCK = 1 << 20
MOST_ENTRIES = 1000


def extract(archive: Path, members: Mapping[str, str], into: Path, *, largest: int) -> None:
    """Put the expected `members` (path in the archive: name afterwards) into the folder `into`.

    Other plain files are left out. An archive with a path that leads elsewhere, a link, a device,
    a file above `largest` bytes, or without one of the members, is refused.
    """
    missing = set(members)
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for number, entry in enumerate(tar):
                _refuse_unsafe(entry, archive, number, largest)
                name = str(PurePosixPath(entry.name))
                if name in missing:
                    _copy(tar, entry, into / members[name])
                    missing.discard(name)
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise SourceFailedError(f"{archive.name} is not a whole tar.gz ({error})") from error
    if missing:
        raise SourceFailedError(f"{archive.name} lacks {', '.join(sorted(missing))}")


def _refuse_unsafe(entry: tarfile.TarInfo, archive: Path, number: int, largest: int) -> None:
    path = PurePosixPath(entry.name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        reason = f"the path {entry.name!r}, which leads out of the folder"
    elif not (entry.isreg() or entry.isdir()):
        reason = f"{entry.name!r}, which is a link or a device"
    elif entry.size > largest:
        reason = f"{entry.name!r} of {entry.size} bytes, more than the {largest} expected"
    elif number >= MOST_ENTRIES:
        reason = f"more than {MOST_ENTRIES} entries"
    else:
        return
    raise SourceFailedError(f"{archive.name} holds {reason}; nothing was taken out of it")


def _copy(tar: tarfile.TarFile, entry: tarfile.TarInfo, target: Path) -> None:
    source = tar.extractfile(entry)
    if source is None:
        raise SourceFailedError(f"{entry.name} is a folder where a file belongs")
    with source, target.open("xb") as stream:
        while block := source.read(BLOCK):
            stream.write(block)

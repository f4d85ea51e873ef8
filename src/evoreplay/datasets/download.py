"""One file by HTTP: continued where it broke off, checked before it gets its name."""

from __future__ import annotations

import errno
import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from evoreplay.datasets.checksums import sha256_of
from evoreplay.datasets.sources import RemoteFile
from evoreplay.errors import UserError, require

BLOCK = 1 << 20
ATTEMPTS = 3
"""How often in a row a connection may break off without having brought anything."""
TIMEOUT_SECONDS = 30
FULL = (errno.ENOSPC, errno.EDQUOT)


class Progress(NamedTuple):
    """Something to show to whoever waits."""

    source: str
    """Where the data come from."""
    message: str
    done: int = 0
    """Bytes so far."""
    total: int | None = None
    """Bytes in all, None if this is no transfer."""


Report = Callable[[Progress], None]


class SourceFailedError(UserError):
    """A source did not give what it should; another one may."""


class FullDiskError(UserError):
    """There is no room, so another source would fail as well."""


def download(file: RemoteFile, into: Path, report: Report) -> Path:
    """Fetch `file` into the folder `into`, or continue what is there as `NAME.part`."""
    require(
        file.address.startswith(("http://", "https://")),
        f"{file.address} is not an address of the web; give one with http:// or https://",
    )
    target, part = into / file.name, into / f"{file.name}.part"
    if target.is_file() and sha256_of(target) == file.sha256:
        return target
    continued = _length(part) > 0
    _transfer(file, part, report)
    if sha256_of(part) != file.sha256 and continued:
        # the beginning may be from another version of the file
        part.unlink()
        _transfer(file, part, report)
    checksum = sha256_of(part)
    if checksum != file.sha256:
        part.unlink()
        raise SourceFailedError(
            f"{file.address} has the checksum {checksum}, not the published {file.sha256}; "
            "it was removed"
        )
    os.replace(part, target)
    return target


def full_disk(error: OSError, where: Path) -> FullDiskError | None:
    """The error to show, if this one says that there is no room left."""
    if error.errno not in FULL:
        return None
    return FullDiskError(
        f"the disk that holds {where} is full; make room and give the same command again, "
        "which goes on with what is there, or choose another folder"
    )


def _transfer(file: RemoteFile, part: Path, report: Report) -> None:
    """All bytes of the file, over as many connections as bring something."""
    failures, reason, restarted = 0, "", False
    while _length(part) != file.size:
        before = _length(part)
        try:
            _one_connection(file, part, report)
            reason = f"the connection ended after {_length(part)} of {file.size} bytes"
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416 and before and not restarted:
                # what is there is longer than what is to be had, so it is of something else
                part.unlink()
                restarted = True
                continue
            raise SourceFailedError(f"{file.address} answered {error.code}") from error
        except OSError as error:
            if (full := full_disk(error, part.parent)) is not None:
                raise full from error
            reason = str(getattr(error, "reason", error))
        except http.client.HTTPException as error:
            reason = str(error)
        failures = failures + 1 if _length(part) <= before else 0
        if failures == ATTEMPTS or (failures and not _length(part)):
            raise SourceFailedError(f"{file.address} could not be read: {reason}")


def _one_connection(file: RemoteFile, part: Path, report: Report) -> None:
    done = _length(part)
    request = urllib.request.Request(file.address)
    if 0 < done < file.size:
        request.add_header("Range", f"bytes={done}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        if not (response.status == 206 and _start(response.headers) == done):
            done = 0
        with part.open("ab" if done else "wb") as stream:
            report(Progress(file.address, f"fetching {file.name}", done, file.size))
            while done < file.size and (block := response.read(min(BLOCK, file.size - done))):
                stream.write(block)
                done += len(block)
                report(Progress(file.address, f"fetching {file.name}", done, file.size))
        if done == file.size and response.read(1):
            part.unlink()
            raise SourceFailedError(
                f"{file.address} is longer than the published {file.size} bytes; it was removed"
            )


def _start(headers: http.client.HTTPMessage) -> int | None:
    match = re.match(r"bytes (\d+)-", headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _length(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0

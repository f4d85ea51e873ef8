"""Where data are looked for, and what is found there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from evoreplay.datasets.catalogue import EMBEDDED, KNOWN, KnownDataset
from evoreplay.datasets.cifar_binary import find_cifar_binary
from evoreplay.datasets.idx import find_idx
from evoreplay.datasets.image_folder import find_image_folder
from evoreplay.datasets.layout import Layout
from evoreplay.datasets.npz import find_npz
from evoreplay.datasets.parquet import find_parquet
from evoreplay.datasets.sources import SOURCES
from evoreplay.datasets.text import find_known_text, find_text
from evoreplay.errors import UserError, unknown

Find = Callable[[Path], Layout | None]

PREFIXES: dict[str, tuple[Find, str]] = {
    "folder": (
        find_image_folder,
        "a folder with one folder of images per class (perhaps below train/, val/ and test/)",
    ),
    "parquet": (find_parquet, "a .parquet file, or a folder with train-*.parquet"),
    "npz": (find_npz, "an .npz file"),
    "text": (
        find_text,
        "a .csv, .jsonl or .parquet file of texts and labels, or a folder with train.csv and so on",
    ),
}
# image folders come last: they would also see the folder of another layout as a class
LAYOUTS: tuple[Find, ...] = (
    find_known_text,
    find_parquet,
    find_cifar_binary,
    find_idx,
    find_image_folder,
)


class Found(NamedTuple):
    """Data on disk and, if they were asked for by name, what they should hold."""

    layout: Layout
    known: KnownDataset | None


def user_cache() -> Path:
    """$EVOREPLAY_CACHE, or `evoreplay` in the user's cache folder."""
    if own := os.environ.get("EVOREPLAY_CACHE"):
        return Path(own).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "evoreplay"


def data_folders(data: Path | None = None, cache: Path | None = None) -> list[Path]:
    """The folders that may hold a dataset's folder, in the order they are looked at."""
    own = os.environ.get("EVOREPLAY_DATA")
    places = [data, Path(own) if own else None, Path("data"), cache or user_cache()]
    return list(dict.fromkeys(place.expanduser() for place in places if place is not None))


def find(name: str, *, data: Path | None = None, cache: Path | None = None) -> Found:
    """The files of a dataset, by its name or by `folder:` and so on with a path."""
    prefix, colon, path = name.partition(":")
    if colon and prefix in PREFIXES:
        return Found(_find_own(prefix, Path(path).expanduser()), None)
    if name not in KNOWN:
        raise unknown("dataset", name, [EMBEDDED, *KNOWN, *(f"{p}:PATH" for p in PREFIXES)])
    known = KNOWN[name]
    looked_at = []
    for place in data_folders(data, cache):
        folder = place / known.folder
        layout = find_layout(folder)
        if layout is not None:
            return Found(layout, known)
        looked_at.append(f"{folder} (no known format)" if folder.is_dir() else str(folder))
    get_it = (
        f"run `evoreplay data fetch {name}`"
        if name in SOURCES
        else f"it cannot be fetched (terms: {known.terms}): get it from its authors"
    )
    raise UserError(
        f"{name} was not found in {', '.join(looked_at)}; {get_it}, or say with --data or "
        f"EVOREPLAY_DATA which folder holds {known.folder}/"
    )


def find_layout(folder: Path) -> Layout | None:
    """The data in a folder, in any format that a known dataset comes in."""
    if not folder.is_dir():
        return None
    try:
        return next((layout for look in LAYOUTS if (layout := look(folder)) is not None), None)
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror or error}") from error


def _find_own(prefix: str, path: Path) -> Layout:
    look, wanted = PREFIXES[prefix]
    if not path.exists():
        raise UserError(f"{path} does not exist; give {prefix}: and the path of {wanted}")
    layout = look(path)
    if layout is None:
        raise UserError(f"{path} holds nothing that can be read; {prefix}: wants {wanted}")
    return layout

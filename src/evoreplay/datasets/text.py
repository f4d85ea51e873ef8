"""Labelled texts, as rows of token numbers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evoreplay.datasets.layout import Array, Counts, Parts, as_labels, files_by_part
from evoreplay.datasets.text_rows import SUFFIXES, Row, has_text, read_rows
from evoreplay.datasets.text_tokens import MOST_TOKENS, TOKEN_IDS, needed_length, tokenised
from evoreplay.errors import UserError, require

DOMAINS = "domains.json"
_INTEGER = re.compile(r"[+-]?\d+")


@dataclass(frozen=True)
class TextLayout:
    """Files of a training part and, perhaps, of a test part; perhaps domains of classes."""

    root: Path
    train: tuple[Path, ...]
    test: tuple[Path, ...]
    domains: Path | None = None
    kind: str = f"text of {TOKEN_IDS} tokens, at most {MOST_TOKENS}"

    def files(self) -> list[Path]:
        return [*self.train, *self.test, *([self.domains] if self.domains else [])]

    def counts(self) -> Counts:
        return Counts(len(read_rows(self.train)), len(read_rows(self.test)) if self.test else None)

    def read(self) -> Parts:
        train, test = read_rows(self.train), read_rows(self.test)
        names = _label_names([*train, *test])
        length = needed_length([row.text for row in train])
        train_x = tokenised([row.text for row in train], length)
        train_y = _labels(train, names, self.root)
        shown = names if names is not None else self._domain_names()
        if not self.test:
            return Parts(train_x, train_y, None, None, shown)
        test_x = tokenised([row.text for row in test], length)
        return Parts(train_x, train_y, test_x, _labels(test, names, self.root), shown)

    def groups(self, classes: int) -> tuple[tuple[int, ...], ...] | None:
        """The classes of each domain, if there are domains; class numbers are alphabetical."""
        names = self._domain_names()
        if names is None:
            return None
        require(
            len(names) == classes,
            f"{self.domains} names {len(names)} classes, the texts have {classes}; "
            "put every class into one domain",
        )
        number = {name: n for n, name in enumerate(names)}
        return tuple(tuple(number[c] for c in group) for group in self._read_domains().values())

    def _domain_names(self) -> tuple[str, ...] | None:
        if self.domains is None:
            return None
        return tuple(sorted(name for group in self._read_domains().values() for name in group))

    def _read_domains(self) -> dict[str, list[str]]:
        assert self.domains is not None
        try:
            found = json.loads(self.domains.read_text())
            groups = {str(domain): [str(name) for name in group] for domain, group in found.items()}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise UserError(
                f"{self.domains} cannot be read ({error}); write it as {{domain: [class, ...]}}"
            ) from error
        names = [name for group in groups.values() for name in group]
        twice = sorted({name for name in names if names.count(name) > 1})
        require(not twice, f"{self.domains} has {', '.join(twice)} twice; give each class a domain")
        require(all(groups.values()), f"{self.domains} has a domain without classes; remove it")
        return groups


def find_text(path: Path) -> TextLayout | None:
    """One file, or a folder with `train.csv` (`.jsonl`, `.parquet`), perhaps `val` and `test`."""
    if path.is_file():
        return TextLayout(path, (path,), ()) if path.suffix in SUFFIXES else None
    there = path.iterdir() if path.is_dir() else ()
    splits = files_by_part(file for file in there if file.suffix in SUFFIXES)
    if splits is None:
        return None
    domains = path / DOMAINS
    train, test = tuple(splits.train), tuple(splits.test)
    return TextLayout(path, train, test, domains if domains.is_file() else None)


def find_known_text(path: Path) -> TextLayout | None:
    """The same, unless the files hold something else."""
    layout = find_text(path)
    return layout if layout is not None and has_text(layout.train[0]) else None


def _label_names(rows: list[Row]) -> tuple[str, ...] | None:
    """Names of the classes in alphabetical order; None if all labels are numbers."""
    labels = {row.label for row in rows}
    if all(isinstance(label, int) or _INTEGER.fullmatch(label) for label in labels):
        return None
    return tuple(sorted({str(label) for label in labels}))


def _labels(rows: list[Row], names: tuple[str, ...] | None, where: Path) -> Array:
    if names is None:
        return as_labels(np.array([int(row.label) for row in rows], np.int64), str(where))
    number = {name: n for n, name in enumerate(names)}
    return np.array([number[str(row.label)] for row in rows], np.int64)

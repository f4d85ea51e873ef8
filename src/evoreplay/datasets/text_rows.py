"""Rows of text and label from CSV (with a header), JSON lines or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from evoreplay.datasets.text_tokens import words
from evoreplay.errors import UserError, require

TEXT_COLUMNS = ("text", "sentence", "utterance")
LABEL_COLUMNS = ("label", "intent", "category")
"""The first of these that is there is used."""
SUFFIXES = (".csv", ".jsonl", ".parquet")
_UNREADABLE = (OSError, ValueError, csv.Error, pa.ArrowException)


class Row(NamedTuple):
    """One example."""

    text: str
    label: int | str


class Columns(NamedTuple):
    """Which columns are read."""

    text: str
    label: str


def read_rows(files: Iterable[Path]) -> list[Row]:
    """All rows of the files, each with words and a label."""
    return [row for file in files for row in _rows(file)]


def has_text(file: Path) -> bool:
    """Whether the file has columns of text and labels; nothing else of it is looked at."""
    try:
        _columns(next(_records(file), {}), file)
    except UserError:
        return False
    return True


def _rows(file: Path) -> Iterator[Row]:
    columns = None
    for number, record in enumerate(_records(file)):
        columns = columns or _columns(record, file)
        where = f"row {number} of {file}"
        text, label = record.get(columns.text), record.get(columns.label)
        require(
            isinstance(text, str) and bool(words(text)),
            f"{where} has an empty text in {columns.text!r}; remove the row or give it words",
        )
        require(
            isinstance(label, int | str) and not isinstance(label, bool) and label != "",
            f"{where} has the label {label!r}; give every row a name or an integer in "
            f"{columns.label!r}",
        )
        yield Row(text, label)  # type: ignore[arg-type]


def _columns(record: dict[str, Any], file: Path) -> Columns:
    text = next((name for name in TEXT_COLUMNS if name in record), None)
    label = next((name for name in LABEL_COLUMNS if name in record), None)
    if text is None or label is None:
        raise UserError(
            f"{file} has the columns {', '.join(map(str, record)) or '(none)'}; understood are "
            f"texts in {', '.join(TEXT_COLUMNS)} with labels in {', '.join(LABEL_COLUMNS)}: "
            "rename them"
        )
    return Columns(text, label)


def _records(file: Path) -> Iterator[dict[str, Any]]:
    read = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}[file.suffix]
    try:
        yield from read(file)
    except UserError:
        raise
    except _UNREADABLE as error:
        raise UserError(
            f"{file} cannot be read as {file.suffix[1:]} ({error}); save it again, in UTF-8"
        ) from error


def _csv(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(newline="", encoding="utf-8-sig") as stream:
        yield from csv.DictReader(stream, strict=True)


def _json_lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8-sig") as stream:
        for line in stream:
            if line.strip():
                record = json.loads(line)
                require(isinstance(record, dict), f"{file} has a line that is no JSON object")
                yield record


def _parquet(file: Path) -> Iterator[dict[str, Any]]:
    parquet = pq.ParquetFile(file)
    wanted = [n for n in parquet.schema_arrow.names if n in (*TEXT_COLUMNS, *LABEL_COLUMNS)]
    if len(wanted) < 2:
        yield dict.fromkeys(parquet.schema_arrow.names)
        return
    for batch in parquet.iter_batches(columns=wanted):
        yield from batch.to_pylist()

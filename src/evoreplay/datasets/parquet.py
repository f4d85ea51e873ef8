"""Parquet in the Hugging Face layout: a column of encoded images, a column of integer labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evoreplay.datasets.decode import ImageStack, Pixels, alike
from evoreplay.datasets.layout import Array, Counts, Parts, as_labels, files_by_part
from evoreplay.errors import UserError

IMAGE_COLUMNS = ("img", "image")
LABEL_COLUMNS = ("label", "labels", "fine_label", "coarse_label")
"""The first of these that is there is used."""
ROWS = 1024


@dataclass(frozen=True)
class ParquetLayout:
    """Parquet files of a training part and, perhaps, of a test part."""

    root: Path
    train: tuple[Path, ...]
    test: tuple[Path, ...]
    kind: str = "parquet"

    def files(self) -> list[Path]:
        return [*self.train, *self.test]

    def counts(self) -> Counts:
        return Counts(_rows(self.train), _rows(self.test) if self.test else None)

    def read(self) -> Parts:
        train_x, train_y = _read(self.train)
        if not self.test:
            return Parts(train_x, train_y, None, None)
        test_x, test_y = _read(self.test)
        images = alike(train_x, test_x)
        return Parts(images[0], train_y, images[1], test_y)


def find_parquet(path: Path) -> ParquetLayout | None:
    """In a folder or one folder below: `train-*.parquet` and so on; or one single file."""
    if path.is_file():
        return ParquetLayout(path.parent, (path,), ()) if path.suffix == ".parquet" else None
    below = sorted(p for p in path.iterdir() if p.is_dir()) if path.is_dir() else []
    for folder in (path, *below):
        splits = files_by_part(folder.glob("*.parquet"))
        if splits is not None:
            return ParquetLayout(folder, tuple(splits.train), tuple(splits.test))
    return None


def _rows(files: tuple[Path, ...]) -> int:
    return sum(int(_open(file).metadata.num_rows) for file in files)


def _read(files: tuple[Path, ...]) -> tuple[Pixels, Array]:
    stack = ImageStack(_rows(files))
    labels = []
    for file in files:
        parquet = _open(file)
        image_column, label_column = _columns(parquet.schema_arrow, file)
        row = 0
        try:
            for batch in parquet.iter_batches(ROWS, columns=[image_column, label_column]):
                _add_images(stack, batch.column(image_column), file, row)
                labels.append(_labels(batch.column(label_column), label_column, file, row))
                row += len(batch)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(file, error) from error
    return stack.finished(), np.concatenate(labels) if labels else np.empty(0, np.int64)


def _open(file: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(file, error) from error


def _columns(schema: pa.Schema, file: Path) -> tuple[str, str]:
    image = next((name for name in IMAGE_COLUMNS if _holds_images(schema, name)), None)
    label = next((name for name in LABEL_COLUMNS if name in schema.names), None)
    if image is None or label is None:
        raise UserError(
            f"{file} has the columns {', '.join(schema.names)}; understood are images in "
            f"{' or '.join(IMAGE_COLUMNS)} (binary, or a struct with bytes) with integer labels "
            f"in {', '.join(LABEL_COLUMNS)}: rename the columns. For texts give text:PATH"
        )
    if not pa.types.is_integer(schema.field(label).type):
        raise UserError(
            f"column {label!r} of {file} holds {schema.field(label).type}; a label is an integer, "
            "0 .. classes - 1: convert the column"
        )
    return image, label


def _holds_images(schema: pa.Schema, name: str) -> bool:
    if name not in schema.names:
        return False
    kind = schema.field(name).type
    if pa.types.is_struct(kind):
        if kind.get_field_index("bytes") < 0:
            return False
        # text here would be taken for a path to open
        kind = kind.field("bytes").type
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _add_images(stack: ImageStack, column: pa.Array, file: Path, row: int) -> None:
    encoded = column.field("bytes") if pa.types.is_struct(column.type) else column
    # a null image is not decodable, and is named like any other
    images = [value or b"" for value in encoded.to_pylist()]
    stack.add(images, lambda number: f"row {row + number} of {file}")


def _labels(column: pa.Array, name: str, file: Path, row: int) -> Array:
    if column.null_count:
        missing = row + column.is_null().to_pylist().index(True)
        raise UserError(f"row {missing} of {file} has no {name}; give every row an integer label")
    return as_labels(column.to_numpy(zero_copy_only=False), str(file))


def _damaged(file: Path, error: Exception) -> UserError:
    return UserError(f"{file} is not a whole Parquet file ({error}); copy or download it again")

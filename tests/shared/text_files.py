"""Labelled texts in every format that is read."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [
    {"text": "What is my balance?", "label": "balance"},
    {"text": "play a song", "label": "music"},
    {"text": "how much money do i have", "label": "balance"},
    {"text": "next song, please", "label": "music"},
]


def write_rows(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path

import pytest

from evoreplay.datasets import load_dataset
from evoreplay.datasets.text_rows import has_text, read_rows
from evoreplay.errors import UserError
from shared.text_files import ROWS, write_rows


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: {"sms": row["text"], "label": row["label"]}, "has the columns sms, label"),
        (lambda row: {"text": row["text"], "stars": "5"}, "has the columns text, stars"),
        (lambda row: {**row, "text": " "}, "row 0 of .* has an empty text in 'text'"),
        (lambda row: {**row, "label": ""}, "row 0 of .* has the label ''"),
    ],
)
def test_rows_that_cannot_be_used_are_named_with_what_can(tmp_path, suffix, change, message):
    path = write_rows(tmp_path / f"rows.{suffix}", [change(row) for row in ROWS])
    with pytest.raises(UserError, match=message):
        load_dataset(f"text:{path}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.csv", b"text,label\n\xff\xfe,a\n", "cannot be read as csv"),
        ("rows.jsonl", b'{"text": "a", "label"', "cannot be read as jsonl"),
        ("rows.jsonl", b"[1, 2]\n", "no JSON object"),
        ("rows.jsonl", b'{"text": "a", "label": 1.5}\n', "has the label 1.5"),
        ("rows.parquet", b"no parquet", "cannot be read as parquet"),
        ("rows.csv", b"", "is empty"),
        ("rows.csv", b"text,label\nhello,a\n", "one class only"),
        ("rows.txt", b"hello", "holds nothing that can be read"),
    ],
)
def test_damaged_and_foreign_files_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        load_dataset(f"text:{tmp_path / name}")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_rows_come_in_order_from_all_files_whatever_the_columns_are_called(tmp_path, suffix):
    first = [{"utterance": row["text"], "intent": row["label"]} for row in ROWS]
    files = [
        write_rows(tmp_path / f"a.{suffix}", first),
        write_rows(tmp_path / f"b.{suffix}", ROWS[:1]),
    ]
    found = read_rows(files)
    assert [(row.text, row.label) for row in found[:2]] == [
        ("What is my balance?", "balance"),
        ("play a song", "music"),
    ]
    assert len(found) == 5
    assert found[4] == found[0]


def test_only_the_columns_tell_whether_a_file_holds_texts(tmp_path):
    assert has_text(write_rows(tmp_path / "texts.csv", ROWS))
    assert not has_text(write_rows(tmp_path / "other.csv", [{"x": 1, "y": 2}]))
    (tmp_path / "empty.jsonl").write_text("")
    assert not has_text(tmp_path / "empty.jsonl")

import json

import pytest
import torch

from evoreplay.datasets import check_dataset, known_datasets, load_dataset
from evoreplay.datasets.text_tokens import MOST_TOKENS, TOKEN_IDS, token_id
from evoreplay.errors import UserError
from shared.text_files import ROWS, write_rows


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_every_format_gives_the_same_tokens_and_named_labels(tmp_path, suffix):
    dataset = load_dataset(f"text:{write_rows(tmp_path / f'rows.{suffix}', ROWS)}")
    assert dataset.class_names == ("balance", "music")
    assert dataset.train_y.tolist() == [0, 1, 0, 1]
    assert dataset.train_x.dtype == torch.int16
    assert dataset.train_x.shape == (4, 6)
    expected = [token_id(word) for word in ("play", "a", "song")]
    assert dataset.train_x[1].tolist() == [*expected, 0, 0, 0]
    assert dataset.token_ids == TOKEN_IDS
    assert dataset.groups is None
    assert dataset.test_x is None


def test_a_folder_has_parts_and_validation_joins_training(tmp_path):
    for part in ("train", "val", "test"):
        write_rows(tmp_path / f"{part}.csv", ROWS)
    dataset = load_dataset(f"text:{tmp_path}")
    assert (len(dataset.train_y), len(dataset.test_y)) == (8, 4)


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], ["0", "1", "0", "1"]])
def test_labels_that_are_numbers_stay_as_they_are(tmp_path, labels):
    rows = [{**row, "label": label} for row, label in zip(ROWS, labels, strict=True)]
    dataset = load_dataset(f"text:{write_rows(tmp_path / 'rows.jsonl', rows)}")
    assert dataset.train_y.tolist() == [0, 1, 0, 1]
    assert dataset.class_names is None


def test_domains_are_the_segments_in_their_own_order(tmp_path):
    labels = ["b", "d", "a", "c"]
    rows = [{**row, "label": label} for row, label in zip(ROWS, labels, strict=True)]
    write_rows(tmp_path / "train.csv", rows)
    (tmp_path / "domains.json").write_text(json.dumps({"two": ["d", "a"], "one": ["b", "c"]}))
    dataset = load_dataset(f"text:{tmp_path}")
    assert dataset.groups == ((3, 0), (1, 2))


@pytest.mark.parametrize(
    ("domains", "words"),
    [
        ({"one": ["balance"]}, "names 1 classes, the texts have 2"),
        ({"one": ["balance", "music"], "two": ["music"]}, "has music twice"),
        ({"one": ["balance", "music"], "two": []}, "a domain without classes"),
        ([1], "cannot be read"),
    ],
)
def test_domains_that_do_not_fit_are_refused(tmp_path, domains, words):
    write_rows(tmp_path / "train.csv", ROWS)
    (tmp_path / "domains.json").write_text(json.dumps(domains))
    with pytest.raises(UserError, match=words):
        load_dataset(f"text:{tmp_path}")


def test_long_texts_are_cut_and_the_longest_training_text_decides(tmp_path):
    rows = [{**ROWS[0], "text": "word " * 500}, *ROWS[1:]]
    dataset = load_dataset(f"text:{write_rows(tmp_path / 'rows.csv', rows)}")
    assert dataset.train_x.shape == (4, MOST_TOKENS)


def test_a_folder_of_images_in_parquet_is_not_taken_for_texts(tmp_path, write_parquet):
    write_parquet(tmp_path / "cifar10" / "train.parquet", range(10))
    assert load_dataset("cifar10", data=tmp_path).token_ids is None


def test_intents_have_ten_domains_of_fifteen(real_data):
    dataset = load_dataset("clinc150")
    assert (dataset.classes, dataset.subset) == (150, None)
    assert (len(dataset.train_y), len(dataset.test_y)) == (18_000, 4_500)
    assert [len(group) for group in dataset.groups] == [15] * 10
    assert sorted(label for group in dataset.groups for label in group) == list(range(150))
    # the first domain is banking, and label numbers are alphabetical
    banking = {dataset.class_names[label] for label in dataset.groups[0]}
    assert {"freeze_account", "balance", "report_fraud"} <= banking
    assert dataset.class_names[131] == "translate"
    checked = check_dataset("clinc150")
    assert checked.train_per_class == [120] * 150
    assert "clinc150" in [entry.name for entry in known_datasets()]

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evoreplay.datasets.parquet import find_parquet
from evoreplay.errors import UserError


def test_shards_are_read_in_order(tmp_path, write_parquet, encoded):
    write_parquet(tmp_path / "train-00001-of-00002.parquet", [1], [encoded(20)])
    write_parquet(tmp_path / "train-00000-of-00002.parquet", [0, 1], [encoded(10), encoded(11)])
    write_parquet(tmp_path / "test-00000-of-00001.parquet", [1], [encoded(30)])
    layout = find_parquet(tmp_path)
    parts = layout.read()
    assert layout.counts() == (3, 1)
    assert parts.train_x[:, 0, 0, 0].tolist() == [10, 11, 20]
    assert parts.train_y.tolist() == [0, 1, 1]
    assert parts.test_x[:, 0, 0, 0].tolist() == [30]


def test_validation_shards_join_training_if_there_are_test_shards(tmp_path, write_parquet):
    for part in ("train", "validation", "test"):
        write_parquet(tmp_path / "data" / f"{part}-00000-of-00001.parquet", [0, 1])
    assert find_parquet(tmp_path).counts() == (4, 2)


def test_a_single_file_is_all_training_data(tmp_path, write_parquet):
    assert find_parquet(write_parquet(tmp_path / "mine.parquet", [0, 1])).counts() == (2, None)


def test_a_folder_without_training_shards_is_not_taken(tmp_path, write_parquet):
    write_parquet(tmp_path / "trainers.parquet", [0, 1])
    assert find_parquet(tmp_path) is None
    assert find_parquet(tmp_path / "missing") is None


def test_the_fine_label_is_used_of_two(tmp_path, encoded):
    rows = [{"bytes": encoded()}] * 2
    table = pa.table({"image": rows, "coarse_label": [0, 0], "fine_label": [0, 1]})
    pq.write_table(table, tmp_path / "train.parquet")
    assert find_parquet(tmp_path).read().train_y.tolist() == [0, 1]


def test_images_may_be_plain_bytes(tmp_path, encoded):
    table = pa.table({"image": [encoded(3), encoded(4)], "label": [0, 1]})
    pq.write_table(table, tmp_path / "train.parquet")
    assert find_parquet(tmp_path).read().train_x[:, 0, 0, 0].tolist() == [3, 4]


def test_grey_training_and_colour_test_images_become_alike(tmp_path, write_parquet, encoded):
    write_parquet(tmp_path / "train.parquet", [0, 1], [encoded(mode="L")] * 2)
    write_parquet(tmp_path / "test.parquet", [0, 1])
    parts = find_parquet(tmp_path).read()
    assert parts.train_x.shape == parts.test_x.shape == (2, 3, 4, 4)


def test_text_is_refused_with_the_columns_that_are_understood(tmp_path):
    pq.write_table(pa.table({"text": ["a"], "label": [0]}), tmp_path / "train.parquet")
    with pytest.raises(UserError, match="columns text, label; understood are images in img or"):
        find_parquet(tmp_path).read()


@pytest.mark.parametrize("labels", [[0.0, 1.0], ["cat", "dog"]])
def test_a_label_that_is_not_an_integer_is_refused(tmp_path, write_parquet, labels):
    write_parquet(tmp_path / "train.parquet", labels)
    with pytest.raises(UserError, match=r"column 'label' of .* a label is an integer"):
        find_parquet(tmp_path).read()


def test_a_missing_label_is_named_by_its_row(tmp_path, write_parquet):
    write_parquet(tmp_path / "train.parquet", [0, None, 1])
    with pytest.raises(UserError, match=r"row 1 of .*train.parquet has no label"):
        find_parquet(tmp_path).read()


def test_a_missing_or_broken_image_is_named_by_its_row(tmp_path, write_parquet, encoded):
    for broken in (None, b"not an image"):
        images = [encoded()] * 1030 + [broken]
        write_parquet(tmp_path / "train.parquet", [0] * 1031, images)
        with pytest.raises(UserError, match=r"row 1030 of .*train.parquet is not an image"):
            find_parquet(tmp_path).read()


@pytest.mark.parametrize("keep", [0, 3, 0.5, 0.99])
def test_a_truncated_file_is_refused(tmp_path, write_parquet, keep):
    file = write_parquet(tmp_path / "train.parquet", [0, 1])
    data = file.read_bytes()
    file.write_bytes(data[: int(keep * len(data)) if keep < 1 else keep])
    with pytest.raises(UserError, match=r"train.parquet is not a whole Parquet file"):
        find_parquet(tmp_path).counts()
    with pytest.raises(UserError, match=r"train.parquet is not a whole Parquet file"):
        find_parquet(tmp_path).read()


def test_damage_in_the_middle_is_refused(tmp_path, write_parquet):
    file = write_parquet(tmp_path / "train.parquet", [0, 1] * 500)
    data = bytearray(file.read_bytes())
    data[4:200] = bytes(196)
    file.write_bytes(data)
    with pytest.raises(UserError, match=r"train.parquet"):
        find_parquet(tmp_path).read()


def test_the_sample_of_cifar_100_has_all_fine_labels(real_data):
    layout = find_parquet(real_data / "cifar100_sample")
    parts = layout.read()
    assert layout.counts() == (2000, 400)
    assert parts.train_x.shape == (2000, 3, 32, 32)
    assert sorted(set(parts.train_y.tolist())) == list(range(100))


def test_text_in_the_place_of_image_bytes_is_never_opened_as_a_path(tmp_path, encoded):
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not yours")
    kind = pa.struct([("bytes", pa.string()), ("path", pa.string())])
    images = pa.array([{"bytes": str(secret), "path": None}] * 2, kind)
    file = tmp_path / "hostile.parquet"
    pq.write_table(pa.table({"img": images, "label": [0, 1]}), file)
    with pytest.raises(UserError, match="rename the columns"):
        find_parquet(file).read()

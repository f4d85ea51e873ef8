from pathlib import Path

import pytest

from evoreplay.datasets.places import data_folders, find, user_cache
from evoreplay.errors import UserError


def test_folders_are_looked_at_in_the_stated_order(monkeypatch, tmp_path):
    monkeypatch.setenv("EVOREPLAY_DATA", str(tmp_path / "env"))
    monkeypatch.setenv("EVOREPLAY_CACHE", str(tmp_path / "cache"))
    assert data_folders(tmp_path / "given") == [
        tmp_path / "given",
        tmp_path / "env",
        Path("data"),
        tmp_path / "cache",
    ]


def test_the_cache_follows_the_users_settings(monkeypatch, tmp_path):
    monkeypatch.delenv("EVOREPLAY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "evoreplay"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_cache() == tmp_path / ".cache" / "evoreplay"


def test_the_first_folder_that_holds_the_dataset_wins(monkeypatch, tmp_path, write_parquet):
    monkeypatch.setenv("EVOREPLAY_DATA", str(tmp_path / "env"))
    for place in ("env", "given"):
        write_parquet(tmp_path / place / "cifar10" / "train.parquet", [0, 1])
    assert find("cifar10").layout.root == tmp_path / "env" / "cifar10"
    assert find("cifar10", data=tmp_path / "given").layout.root == tmp_path / "given" / "cifar10"
    assert find("cifar10", data=tmp_path / "none").layout.root == tmp_path / "env" / "cifar10"


def test_the_folder_data_here_and_the_cache_are_found_too(tmp_path, write_parquet):
    write_parquet(user_cache() / "cifar10" / "train.parquet", [0, 1])
    assert find("cifar10").layout.root == user_cache() / "cifar10"
    write_parquet(Path("data") / "cifar10" / "train.parquet", [0, 1])
    assert find("cifar10").layout.root == Path("data") / "cifar10"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("train-00000-of-00001.parquet", "parquet"),
        ("cifar-10-batches-bin/data_batch_1.bin", "cifar binary"),
        ("meta_train/n01/a.png", "image folder"),
        ("train/n01/a.png", "image folder"),
        ("n01/a.png", "image folder"),
    ],
)
def test_a_known_dataset_may_have_any_layout(tmp_path, file, kind):
    (tmp_path / "cifar10" / file).parent.mkdir(parents=True)
    (tmp_path / "cifar10" / file).write_bytes(b"")
    assert find("cifar10", data=tmp_path).layout.kind == kind


def test_all_places_are_named_when_nothing_is_found(monkeypatch, tmp_path):
    monkeypatch.setenv("EVOREPLAY_DATA", str(tmp_path / "env"))
    (tmp_path / "env" / "cifar10").mkdir(parents=True)
    with pytest.raises(UserError) as error:
        find("cifar10", data=tmp_path / "given")
    for place in (tmp_path / "given", tmp_path / "env", Path("data"), user_cache()):
        assert str(place / "cifar10") in str(error.value)
    assert "env/cifar10 (no known format)" in str(error.value)
    assert "`evoreplay data fetch cifar10`" in str(error.value)


def test_what_cannot_be_fetched_does_not_name_the_command():
    with pytest.raises(UserError, match="cannot be fetched") as error:
        find("mini-imagenet")
    assert "data fetch" not in str(error.value)


def test_a_sample_is_never_taken_for_cifar_100(tmp_path, write_parquet):
    write_parquet(tmp_path / "cifar100_sample" / "train.parquet", [0, 1])
    with pytest.raises(UserError, match="cifar100 was not found"):
        find("cifar100", data=tmp_path)


@pytest.mark.parametrize(("given", "near"), [("cifar-10", "cifar10"), ("mnits", "mnist")])
def test_an_unknown_name_gets_the_nearest_one(given, near):
    with pytest.raises(UserError, match=f"did you mean '{near}'"):
        find(given)


def test_ones_own_path_must_exist_and_hold_something(tmp_path):
    with pytest.raises(UserError, match="does not exist; give folder: and the path of a folder"):
        find(f"folder:{tmp_path / 'missing'}")
    with pytest.raises(UserError, match=r"holds nothing that can be read; npz: wants an .npz file"):
        find(f"npz:{tmp_path}")

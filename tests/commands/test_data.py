import os
from pathlib import Path

import numpy as np
import pytest

from evoreplay.cli import main
from evoreplay.commands.data import counted


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOREPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def arrays(tmp_path):
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 60)
    x = generator.integers(0, 256, (180, 6, 6, 1), dtype=np.uint8)
    np.savez(tmp_path / "own.npz", x=x, y=y)
    return f"npz:{tmp_path / 'own.npz'}"


def test_list_shows_every_name_and_where_it_is(capsys, monkeypatch):
    monkeypatch.delenv("EVOREPLAY_DATA", raising=False)
    assert main(["data", "list"]) == 0
    output = capsys.readouterr().out
    for word in ("digits", "cifar10", "mini-imagenet", "can be", "folder:PATH"):
        assert word in output


def test_check_counts_classes_and_shapes(capsys, arrays):
    assert main(["data", "check", arrays]) == 0
    output = capsys.readouterr().out
    assert "examples of 1 x 6 x 6, 3 classes" in output
    assert "180 examples, 60 of each class" in output
    assert counted([1, 2]) == "3 examples; of each class: 1 2"


def test_own_arrays_go_through_a_whole_run(capsys, arrays, tmp_path):
    command = ["run", "--dataset", arrays, "--method", "er+ld", "--out", str(tmp_path / "runs")]
    assert main([*command, "--set", "stream=blurry", "segments=3"]) == 0
    assert list((tmp_path / "runs").glob("*/result.json"))


@pytest.mark.parametrize(
    "options",
    [
        ["--stream", "class-split"],
        ["--stream", "blurry", "--set", "width=1", "transition=linear"],
        ["--stream", "drift", "--set", "schedule=[[1,0,0,0,0],[0,0,0,0,1]]"],
        ["--stream", "drift", "--set", "schedule=[[1,1,1,1,1,0,0,0,0,0],[0,0,0,0,0,1,1,1,1,1]]"],
        ["--stream", "imbalanced", "--set", "imbalance=0.2"],
        ["--stream", "iid"],
    ],
)
def test_every_stream_can_be_drawn(options, capsys):
    assert main(["data", "plot", "--dataset", "digits", *options]) == 0
    assert Path("stream.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["data", "check", "cifar11"], "did you mean 'cifar10'"),
        (["data", "check", "npz:nothing.npz"], "nothing.npz"),
        (["data", "fetch", "digits"], "needs no fetching"),
        (["data", "fetch", "mnis"], "did you mean 'mnist'"),
        (["data", "fetch", "mini-imagenet"], "is under terms"),
        (["data", "plot", "--stream", "blury"], "stream is 'blury'"),
        (["data", "plot", "--stream", "drift"], "a drift stream needs a schedule"),
        (["data", "plot", "--out", "/proc/nothing/a.png"], "cannot write"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, words, capsys):
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert words in message
    assert len(message.strip().splitlines()) == 1


def test_a_subset_is_marked_in_the_list(capsys, tmp_path, monkeypatch):
    data = os.environ.get("EVOREPLAY_DATA")
    if not data:
        pytest.skip("EVOREPLAY_DATA is not set: the real mini-ImageNet subset is not here")
    monkeypatch.setenv("COLUMNS", "250")
    assert main(["data", "list", "--data", data]) == 0
    assert "SUBSET: 15200 of 48000 training" in capsys.readouterr().out

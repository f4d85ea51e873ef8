import io
import zipfile

import numpy as np
import pytest

from evoreplay.datasets.npz import find_npz
from evoreplay.errors import UserError


def save(folder, **arrays):
    np.savez(folder / "data.npz", **arrays)
    return find_npz(folder / "data.npz")


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ((2, 3, 8, 8), (2, 3, 8, 8)),
        ((2, 8, 8, 3), (2, 3, 8, 8)),
        ((2, 8, 8, 1), (2, 1, 8, 8)),
        ((2, 8, 8), (2, 1, 8, 8)),
        ((2, 5), (2, 5)),
    ],
)
@pytest.mark.parametrize("kind", [np.uint8, np.float64, np.int64])
def test_examples_become_channels_first(tmp_path, given, stored, kind):
    layout = save(tmp_path, x=np.ones(given, kind), y=[0, 1])
    parts = layout.read()
    assert layout.counts() == (2, None)
    assert parts.train_x.shape == stored
    assert parts.train_x.dtype == (np.float32 if kind is np.float64 else np.uint8)


def test_channels_move_with_their_pixels(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (4, 6, 5, 3), np.uint8)
    parts = save(tmp_path, x_train=pixels, y_train=np.array([[0], [1], [0], [1]])).read()
    np.testing.assert_array_equal(parts.train_x[3, 2], pixels[3, :, :, 2])
    assert parts.train_y.tolist() == [0, 1, 0, 1]


def test_a_test_part_is_read(tmp_path):
    x = np.zeros((4, 3, 8, 8), np.uint8)
    layout = save(tmp_path, x_train=x, y_train=[0, 1, 0, 1], x_test=x[:2], y_test=[1, 0])
    assert layout.counts() == (4, 2)
    assert layout.read().test_y.tolist() == [1, 0]


def test_arrays_of_python_objects_are_never_opened(tmp_path):
    layout = save(tmp_path, x=np.array([{}, []], dtype=object), y=[0, 1])
    with pytest.raises(UserError, match=r"not a whole .npz file of plain arrays"):
        layout.read()


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.zeros((2, 4, 4)), [0.0, 1.0], "one integer per example"),
        (np.zeros((2, 4, 4)), ["a", "b"], "one integer per example"),
        (np.full((2, 4, 4), np.nan), [0, 1], "not finite"),
        (np.full((2, 4, 4), 300), [0, 1], "outside 0 .. 255"),
        (np.zeros((2, 4, 4), complex), [0, 1], "give uint8 or floats"),
        (np.zeros((2, 7, 8, 9), np.uint8), [0, 1], "with 1 or 3 channels"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, x, y, message):
    with pytest.raises(UserError, match=message):
        save(tmp_path, x=x, y=y).read()


def test_missing_arrays_are_named(tmp_path):
    layout = save(tmp_path, images=np.zeros(2), y=[0, 1])
    for ask in (layout.read, layout.counts):
        with pytest.raises(UserError, match="holds the arrays images, y; give x_train"):
            ask()


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    layout = save(tmp_path, x=np.zeros((2, 4, 4)), y=[0, 1])
    layout.root.write_bytes(layout.root.read_bytes()[:100])
    for ask in (layout.read, layout.counts):
        with pytest.raises(UserError, match=r"not a whole .npz file"):
            ask()


def test_another_file_is_not_taken(tmp_path):
    assert find_npz(tmp_path) is None
    assert find_npz(tmp_path / "missing.npz") is None


def test_a_shape_that_no_machine_holds_is_refused(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (2**50, 8, 8)}
    )
    file = tmp_path / "huge.npz"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", header.getvalue())
        archive.writestr("y.npy", header.getvalue())
    with pytest.raises(UserError, match=r"huge\.npz"):
        find_npz(file).read()


def test_a_file_compressed_in_an_unknown_way_is_refused(tmp_path):
    file = tmp_path / "odd.npz"
    np.savez(file, x=np.zeros((4, 2), np.uint8), y=np.arange(4) % 2)
    data = bytearray(file.read_bytes())
    # the method of compression, in every local and central header
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] = 77
            at = data.find(mark, at + 4)
    file.write_bytes(bytes(data))
    with pytest.raises(UserError, match=r"odd\.npz"):
        find_npz(file).read()

import io

import numpy as np
import pytest
from PIL import Image

from evoreplay.datasets.decode import ImageStack, alike, decode_image
from evoreplay.errors import UserError


def stack(images):
    stacked = ImageStack(len(images))
    stacked.add(images, lambda number: f"image {number}")
    return stacked.finished()


def test_colour_images_become_channels_first(encoded):
    images = stack([encoded(7), encoded(9)])
    assert images.shape == (2, 3, 4, 4)
    assert images.dtype == np.uint8
    assert images[:, :, 0, 0].tolist() == [[7, 1, 2], [9, 1, 2]]


def test_more_images_than_one_thread_takes_stay_in_order(encoded):
    images = stack([encoded(n) for n in range(200)])
    assert images[:, 0, 0, 0].tolist() == list(range(200))


def test_grey_images_keep_one_channel(encoded):
    assert stack([encoded(7, mode="L"), encoded(8, mode="L")]).shape == (2, 1, 4, 4)


@pytest.mark.parametrize("modes", [["L", "RGB"], ["RGB", "L"]])
def test_grey_among_colour_becomes_colour(encoded, modes):
    images = stack([encoded(7, mode=mode) for mode in modes])
    assert images.shape == (2, 3, 4, 4)
    assert images[modes.index("L"), :, 0, 0].tolist() == [7, 7, 7]


def test_a_grey_part_follows_a_colour_part():
    grey, colour = np.zeros((2, 1, 4, 4), np.uint8), np.zeros((1, 3, 4, 4), np.uint8)
    assert [part.shape[1] for part in alike(grey, colour)] == [3, 3]
    assert [part.shape[1] for part in alike(colour, grey)] == [3, 3]
    assert alike(grey, None)[0].shape[1] == 1


def test_two_sizes_are_refused_with_both_named(encoded):
    with pytest.raises(UserError, match="image 0 has 4x4 pixels, image 2 has 6x5; resize"):
        stack([encoded(), encoded(), encoded(size=(6, 5))])


@pytest.mark.parametrize("change", [lambda data: b"", lambda data: data[:-30], lambda data: b"GIF"])
def test_an_image_that_does_not_decode_is_named(encoded, change):
    with pytest.raises(UserError, match="image 1 is not an image that can be read") as error:
        stack([encoded(), change(encoded())])
    assert "0x" not in str(error.value)


def test_sixteen_bits_are_refused_instead_of_cut():
    buffer = io.BytesIO()
    Image.fromarray(np.full((4, 4), 40000, np.uint16)).save(buffer, "PNG")
    with pytest.raises(UserError, match="more than 8 bits"):
        stack([buffer.getvalue()])


def test_a_palette_is_looked_up():
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4), (255, 0, 0)).convert("P").save(buffer, "PNG")
    assert decode_image(buffer.getvalue())[:, 0, 0].tolist() == [255, 0, 0]

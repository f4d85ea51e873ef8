import base64
import io

import numpy as np
from PIL import Image

from evoreplay.reports.figures.png import data_uri, is_picture


def test_pixels_beyond_the_range_are_cut():
    pixels = np.array([[[-1.0, 0.0], [1.0, 3.0]]])
    image = Image.open(io.BytesIO(base64.b64decode(data_uri(pixels, -1, 1).partition(",")[2])))
    assert np.asarray(image).tolist() == [[0, 128], [255, 255]]
    colour = Image.open(
        io.BytesIO(base64.b64decode(data_uri(np.ones((3, 4, 5)), -1, 1).partition(",")[2]))
    )
    assert (colour.mode, colour.size) == ("RGB", (5, 4))
    assert is_picture((3, 32, 32))
    assert not is_picture((64,))
    assert not is_picture((2, 8, 8))

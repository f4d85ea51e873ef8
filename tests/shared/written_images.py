"""Images of a memory, read back from their folder."""

import csv

import numpy as np
from PIL import Image


def table(folder):
    with (folder / "losses.csv").open() as file:
        return list(csv.DictReader(file))


def levels(path):
    return np.asarray(Image.open(path)).astype(int)

"""Encoded images to one array: uint8, channels first, all of one size."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from evoreplay.errors import UserError

Pixels = NDArray[np.uint8]
COLOUR = 3
CHUNK = 64


class _Undecodable(NamedTuple):
    reason: str


def decode_image(encoded: bytes | Path) -> Pixels:
    """One image as (1, height, width) if it is grey, as (3, height, width) if it has colours."""
    with Image.open(io.BytesIO(encoded) if isinstance(encoded, bytes) else encoded) as image:
        if image.mode in ("F", "I") or image.mode.startswith("I;"):
            raise ValueError(f"it has more than 8 bits per pixel (mode {image.mode})")
        grey = image.mode in ("1", "L", "LA", "La")
        mode = "L" if grey else "RGB"
        pixels = np.asarray(image if image.mode == mode else image.convert(mode))
    return pixels[np.newaxis] if grey else pixels.transpose(2, 0, 1)


class ImageStack:
    """Images stacked while they are decoded, by threads, in the order they were given."""

    def __init__(self, count: int):
        self._count = count
        self._stack: Pixels | None = None
        self._filled = 0
        self._first = ""

    def add(self, encoded: Sequence[bytes | Path], name: Callable[[int], str]) -> None:
        """Decode some images; `name(i)` says in an error what the i-th of them is called."""
        chunks = [encoded[start : start + CHUNK] for start in range(0, len(encoded), CHUNK)]
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            number = 0
            for chunk in pool.map(_decode_chunk, chunks):
                for pixels in chunk:
                    if isinstance(pixels, _Undecodable):
                        raise UserError(
                            f"{name(number)} is not an image that can be read: {pixels.reason}; "
                            "replace or remove it"
                        )
                    self._put(pixels, name, number)
                    number += 1

    def finished(self) -> Pixels:
        """All images: (number, channels, height, width)."""
        if self._stack is None:
            return np.empty((0, COLOUR, 0, 0), np.uint8)
        return self._stack[: self._filled]

    def _put(self, pixels: Pixels, name: Callable[[int], str], number: int) -> None:
        if self._stack is None:
            self._stack = np.empty((self._count, *pixels.shape), np.uint8)
            self._first = name(number)
        if pixels.shape[1:] != self._stack.shape[2:]:
            height, width = self._stack.shape[2:]
            raise UserError(
                f"{self._first} has {width}x{height} pixels, {name(number)} has "
                f"{pixels.shape[2]}x{pixels.shape[1]}; resize all images to one size first"
            )
        if len(pixels) > self._stack.shape[1]:
            self._stack = as_colour(self._stack)
        self._stack[self._filled] = pixels
        self._filled += 1


def as_colour(images: Pixels) -> Pixels:
    """Grey images with their one channel three times; colour images as they are."""
    return images if images.shape[1] == COLOUR else np.repeat(images, COLOUR, axis=1)


def alike(train: Pixels, test: Pixels | None) -> tuple[Pixels, Pixels | None]:
    """Grey stays grey only if both parts are."""
    if test is None or train.shape[1] == test.shape[1]:
        return train, test
    return as_colour(train), as_colour(test)


def _decode_chunk(encoded: Sequence[bytes | Path]) -> list[Pixels | _Undecodable]:
    decoded: list[Pixels | _Undecodable] = []
    for one in encoded:
        try:
            decoded.append(decode_image(one))
        except UnidentifiedImageError:
            return [*decoded, _Undecodable("it has no format that is known")]
        except Exception as error:  # pillow's decoders raise nearly anything on broken data
            return [*decoded, _Undecodable(str(error))]
    return decoded

"""Small images as PNG: for the page, inside of it, and as files."""

from __future__ import annotations

import base64
import io
import math

import numpy as np
from PIL import Image

Pixels = np.ndarray
"""Channels first, one channel or three."""
FEWEST_PIXELS = 4
"""A side of a flat example: four measurements of a flower are no picture."""


def is_picture(shape: tuple[int, ...]) -> bool:
    """Whether examples of this shape can be looked at."""
    return len(shape) == 3 and shape[0] in (1, 3)


def as_pictures(examples: np.ndarray) -> np.ndarray | None:
    """Examples as (N, channels, height, width); None if they cannot be looked at.

    A flat example whose length is a square is read row by row: 64 numbers are 8x8.
    """
    shape = examples.shape[1:]
    if is_picture(shape):
        return examples
    if len(shape) == 2:
        return examples[:, None]
    side = math.isqrt(shape[0]) if len(shape) == 1 else 0
    if side < FEWEST_PIXELS or side * side != shape[0]:
        return None
    return examples.reshape(len(examples), 1, side, side)


def png_bytes(pixels: Pixels, low: float, high: float) -> bytes:
    """Values from `low` (black) to `high` (white); what lies beyond is cut."""
    scaled = (np.asarray(pixels, dtype=np.float64) - low) * (255 / (high - low))
    levels = np.clip(np.nan_to_num(scaled), 0, 255).round().astype(np.uint8)
    image = Image.fromarray(levels[0] if levels.shape[0] == 1 else levels.transpose(1, 2, 0))
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def data_uri(pixels: Pixels, low: float, high: float) -> str:
    """The same as the address of an image in a page."""
    return "data:image/png;base64," + base64.b64encode(png_bytes(pixels, low, high)).decode()

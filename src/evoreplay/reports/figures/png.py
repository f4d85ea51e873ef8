"""Small images for the page, as PNG inside of it."""

from __future__ import annotations

import base64
import io

import numpy as np
from PIL import Image

Pixels = np.ndarray
"""Channels first, one channel or three."""


def is_picture(shape: tuple[int, ...]) -> bool:
    """Whether examples of this shape can be looked at."""
    return len(shape) == 3 and shape[0] in (1, 3)


def data_uri(pixels: Pixels, low: float, high: float) -> str:
    """Values from `low` (black) to `high` (white); what lies beyond is cut."""
    scaled = (np.asarray(pixels, dtype=np.float64) - low) * (255 / (high - low))
    levels = np.clip(np.nan_to_num(scaled), 0, 255).round().astype(np.uint8)
    image = Image.fromarray(levels[0] if levels.shape[0] == 1 else levels.transpose(1, 2, 0))
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()

"""The 1,797 handwritten digits that scikit-learn carries: 8x8, no download."""

from __future__ import annotations

import numpy as np
import torch

from evoreplay.datasets.dataset import Dataset


def digits() -> Dataset:
    """Ten classes of 8x8 images, their 17 grey levels spread over 0..255; no test part."""
    # a second of imports, which nobody else should wait for
    from sklearn.datasets import load_digits

    data = load_digits()
    images = np.rint(data.images * (255 / 16)).astype(np.uint8)
    return Dataset(
        name="digits",
        train_x=torch.from_numpy(images).unsqueeze(1),
        train_y=torch.from_numpy(data.target.astype(np.int64)),
        test_x=None,
        test_y=None,
        classes=10,
        natural=False,
    )

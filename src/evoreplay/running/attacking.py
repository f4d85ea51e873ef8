"""Attacks on the model of a run: in pixels, on chosen test images, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, nn

from evoreplay.attacks import InPixelSpace
from evoreplay.attacks.attack import misclassified, under_attack
from evoreplay.datasets import Dataset
from evoreplay.errors import require
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.running.choosing import balanced
from evoreplay.running.interruption import Interrupted, StopRequest
from evoreplay.running.setup import Part

CHUNK = 50


class Images(NamedTuple):
    """Pixels in [0, 1] and their labels."""

    x: Tensor
    y: Tensor


def require_pixels(dataset: Dataset) -> None:
    """Refuse data in which a small change has no meaning."""
    x = dataset.train_x
    require(
        x.dtype == torch.uint8 and x.dim() == 4,
        f"{dataset.name} holds examples of type {str(x.dtype).removeprefix('torch.')} and shape "
        f"{tuple(x.shape[1:])}, not images of 8-bit pixels; attacks change pixels, so give a run "
        "on images",
    )


def in_pixels(model: nn.Module) -> InPixelSpace:
    """The model behind the scaling that learners put before it."""
    low, high = scaled_to_unit_range(torch.tensor([0, 255], dtype=torch.uint8)).tolist()
    return InPixelSpace(model, low=low, high=high)


def chosen_images(test: Part, count: int, among: Tensor | None = None) -> Images:
    """`count` test images, always the same, as balanced over classes as they can be.

    `among` are indices to choose from, by default all of the test part.
    """
    indices = torch.cat(test.segments) if among is None else among
    chosen = indices[balanced(test.y[indices], count)]
    return Images(test.x[chosen].float() / 255, test.y[chosen].long())


def correct_positions(model: nn.Module, images: Images) -> Tensor:
    """Of the images that are classified rightly, and need an attack."""
    device = next(model.parameters(), images.x).device
    wrong = [torch.zeros(0, dtype=torch.bool)]
    with under_attack(model):
        for x, y in zip(images.x.split(CHUNK), images.y.split(CHUNK), strict=True):
            wrong.append(misclassified(model, x.to(device), y.to(device)).cpu())
    return (~torch.cat(wrong)).nonzero().squeeze(1)


@contextmanager
def stoppable(model: nn.Module, stop: StopRequest) -> Iterator[None]:
    """Forward passes inside raise `Interrupted` once a signal came: attacks take long."""

    def look(*_: object) -> None:
        if stop.signal_number is not None:
            raise Interrupted("interrupted while attacking", stop.signal_number)

    handle = model.register_forward_pre_hook(look)
    try:
        yield
    finally:
        handle.remove()

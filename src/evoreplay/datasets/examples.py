"""Datasets from any Python object that holds examples."""

from __future__ import annotations

import operator
from typing import Any, Protocol

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from evoreplay.datasets.dataset import Dataset
from evoreplay.datasets.layout import Parts, count_classes
from evoreplay.errors import UserError, require


class Examples(Protocol):
    """Anything with a length whose items are pairs (x, y)."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


def from_examples(
    examples: Examples,
    *,
    test: Examples | None = None,
    name: str = "own",
    classes: int | None = None,
    natural: bool = False,
) -> Dataset:
    """A dataset of one's own (x, y) pairs, copied into memory.

    Parameters
    ----------
    examples
        `x` is a tensor or an array (images channels first) or a Pillow image, `y` an integer.
    test
        The same for the test part; without it some of `examples` is held out.
    name
        What reports call it.
    classes
        Their number, if it is to be checked.
    natural
        Natural images, which may be flipped.

    """
    train_x, train_y = _stacked(examples, name)
    test_x, test_y = (
        _stacked(test, f"the test part of {name}") if test is not None else (None, None)
    )
    parts = Parts(
        train_x.numpy(),
        train_y.numpy(),
        None if test_x is None else test_x.numpy(),
        None if test_y is None else test_y.numpy(),
    )
    there = count_classes(parts, name)
    require(
        classes in (None, there),
        f"{name} has labels 0 .. {there - 1}, that is {there} classes, not {classes}; "
        "leave `classes` out or map the labels",
    )
    return Dataset(name, train_x, train_y, test_x, test_y, classes=there, natural=natural)


def _stacked(examples: Examples, where: str) -> tuple[Tensor, Tensor]:
    count = len(examples)
    require(count > 0, f"{where} is empty; give at least one example of each class")
    stack: Tensor | None = None
    labels = torch.empty(count, dtype=torch.int64)
    for index in range(count):
        x, y = _pair(examples[index], index, where)
        if stack is None:
            stack = torch.empty((count, *x.shape), dtype=x.dtype)
        if x.shape != stack.shape[1:] or x.dtype != stack.dtype:
            raise UserError(
                f"example 0 of {where} is {stack.dtype} of shape {tuple(stack.shape[1:])}, example "
                f"{index} is {x.dtype} of shape {tuple(x.shape)}; give all of them alike"
            )
        stack[index], labels[index] = x, y
    assert stack is not None
    return stack, labels


def _pair(pair: Any, index: int, where: str) -> tuple[Tensor, int]:
    try:
        x, y = pair
    except (TypeError, ValueError) as error:
        raise UserError(f"example {index} of {where} is not a pair (x, y)") from error
    try:
        number: Any = y.item() if isinstance(y, Tensor | np.ndarray) else y
        label = operator.index(number)
    except (TypeError, ValueError, RuntimeError) as error:
        raise UserError(
            f"label {y!r} of example {index} of {where} is not an integer; "
            "labels are integers 0 .. classes - 1"
        ) from error
    require(label >= 0, f"label {label} of example {index} of {where} is below 0; map the labels")
    return _example(x, index, where), label


def _example(x: Any, index: int, where: str) -> Tensor:
    if isinstance(x, Image.Image):
        pixels = np.array(x if x.mode == "L" else x.convert("RGB"))
        x = pixels[np.newaxis] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    try:
        tensor = torch.as_tensor(x).detach().cpu()
    except (TypeError, ValueError, RuntimeError) as error:
        raise UserError(
            f"example {index} of {where} is a {type(x).__name__}; give a tensor or an array"
        ) from error
    return tensor.float() if tensor.dtype == torch.float64 else tensor

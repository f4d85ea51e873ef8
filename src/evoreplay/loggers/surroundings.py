"""What a logger may find around it but never leave changed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy
import torch

from evoreplay.random_state import preserved_random_state


@contextmanager
def untouched_randomness() -> Iterator[None]:
    """The global random states of Python, numpy and torch are afterwards what they were before."""
    plain, arrays = random.getstate(), numpy.random.get_state()  # noqa: NPY002
    try:
        with preserved_random_state(torch.device("cpu")):
            yield
    finally:
        random.setstate(plain)
        numpy.random.set_state(arrays)  # noqa: NPY002


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """These environment variables inside, the old ones outside."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

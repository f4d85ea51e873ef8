"""Forward passes that leave no trace in a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase

from evoreplay.random_state import preserved_random_state


@contextmanager
def buffers_kept(modules: Iterable[nn.Module]) -> Iterator[None]:
    """What forwards inside write to the buffers of these modules is gone afterwards."""
    kept = [
        (module, name, buffer, buffer.clone(), buffer._version)
        for module in modules
        for name, buffer in module.named_buffers(recurse=False)
    ]
    try:
        yield
    finally:
        with torch.no_grad():
            for module, name, buffer, saved, version in kept:
                # a layer may write to its buffer or put another in its place
                module._buffers[name] = buffer
                if buffer._version != version:
                    buffer.copy_(saved)


@contextmanager
def batch_statistics_only(model: nn.Module) -> Iterator[None]:
    """Normalise by the statistics of the batch itself and leave all buffers as they are.

    A normalisation layer with `training` and without `track_running_stats` does just that, so
    nothing is copied. Buffers of other layers are put back if a forward wrote to them.
    """
    norms = [module for module in model.modules() if isinstance(module, _NormBase)]
    others = [module for module in model.modules() if not isinstance(module, _NormBase)]
    before = [(norm, norm.training, norm.track_running_stats) for norm in norms]
    with buffers_kept(others):
        try:
            for norm in norms:
                norm.training, norm.track_running_stats = True, False
            yield
        finally:
            for norm, training, tracking in before:
                norm.training, norm.track_running_stats = training, tracking


@contextmanager
def traceless(model: nn.Module) -> Iterator[None]:
    """As `batch_statistics_only`, and the global random state (of dropout) stays too."""
    with preserved_random_state(device_of(model)), batch_statistics_only(model):
        yield


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Eval mode and no gradients inside, every module's own mode and the random state after."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        with preserved_random_state(device_of(model)), torch.no_grad():
            yield
    finally:
        for module, training in modes:
            module.training = training


def device_of(model: nn.Module) -> torch.device:
    """Where the first parameter lies; the CPU for a model without any."""
    first = next(model.parameters(), None)
    return torch.device("cpu") if first is None else first.device

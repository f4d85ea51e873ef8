"""The protocol of each dataset: what a config leaves open is filled in here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from evoreplay.errors import UserError, require, unknown
from evoreplay.running.config import Config, Device
from evoreplay.running.methods import find_method


@dataclass(frozen=True)
class Protocol:
    """Numbers of the paper's experiments (and of those it follows)."""

    segments: int
    """Tasks of the class-split stream."""
    memory_size: int
    updates: int
    rate: float
    model: str


PROTOCOLS = {
    "digits": Protocol(segments=5, memory_size=100, updates=1, rate=0.01, model="mlp"),
}

HELD_OUT_FOR_TEST = 0.2
HELD_OUT_FOR_VALIDATION = 0.05


def protocol_of(dataset: str) -> Protocol:
    """By the name of the dataset."""
    if dataset not in PROTOCOLS:
        raise unknown("dataset", dataset, PROTOCOLS)
    return PROTOCOLS[dataset]


def resolved(config: Config) -> Config:
    """The config with every open field decided, and with values that can be run."""
    protocol = protocol_of(config.dataset)
    find_method(config.method)
    require(0 < config.scale <= 1, f"scale is {config.scale}; give a number in (0, 1]")
    require(config.lr > 0, f"lr is {config.lr}; give a learning rate above 0")
    require(config.batch_size >= 1, f"batch_size is {config.batch_size}; give 1 or more")
    device = resolved_device(config.device)
    return replace(
        config,
        memory_size=protocol.memory_size if config.memory_size is None else config.memory_size,
        updates=protocol.updates if config.updates is None else config.updates,
        rate=protocol.rate if config.rate is None else config.rate,
        model=config.model or protocol.model,
        precision="float32" if config.precision == "auto" else config.precision,
        device=device,
    )


def resolved_device(name: Device) -> Device:
    """`auto` to the best device there is; a device that is not there is an error."""
    present: dict[Device, bool] = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        return next(device for device, there in present.items() if there)
    if not present.get(name, False):
        there = ", ".join(device for device, is_there in present.items() if is_there)
        raise UserError(f"device {name!r} is not available here; give auto or one of: {there}")
    return name

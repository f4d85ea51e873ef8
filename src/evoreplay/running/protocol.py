"""The protocol of each dataset: what a config leaves open is filled in here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from evoreplay.errors import UserError, require, unknown
from evoreplay.running.config import Config, Device, Precision
from evoreplay.running.methods import find_method
from evoreplay.running.recipes import with_recipe, without_flow_settings


@dataclass(frozen=True)
class Protocol:
    """Numbers of the paper's experiments (and of those it follows)."""

    segments: int | None
    """Tasks of the class-split stream; None: the domains of the data, or `USUAL_SEGMENTS`."""
    memory_size: int
    updates: int
    rate: float
    model: str
    candidates: int = 50
    space: str = "input"


PROTOCOLS = {
    "digits": Protocol(segments=5, memory_size=100, updates=1, rate=0.01, model="mlp"),
    "mnist": Protocol(segments=5, memory_size=500, updates=1, rate=0.01, model="mlp"),
    "fashion-mnist": Protocol(segments=5, memory_size=500, updates=1, rate=0.01, model="mlp"),
    "cifar10": Protocol(segments=5, memory_size=500, updates=1, rate=0.01, model="resnet18"),
    "cifar100": Protocol(segments=20, memory_size=5000, updates=3, rate=0.05, model="resnet18"),
    "mini-imagenet": Protocol(
        segments=20, memory_size=10_000, updates=3, rate=0.001, model="resnet18", candidates=25
    ),
    "clinc150": Protocol(
        segments=10, memory_size=1000, updates=1, rate=0.01, model="text", space="embedding"
    ),
}
USUAL_SEGMENTS = 5
OWN_DATA = Protocol(segments=USUAL_SEGMENTS, memory_size=500, updates=1, rate=0.01, model="auto")
OWN_TEXTS = replace(PROTOCOLS["clinc150"], segments=None)
OWN_DATA_PREFIXES = ("folder:", "parquet:", "npz:", "text:")

COUNTS = (
    *("segments", "epochs", "batch_size", "updates"),
    *("memory_size", "replay_size", "candidates", "reference"),
)
"""Fields of the config that count something there has to be one of."""

HELD_OUT_FOR_TEST = 0.2
HELD_OUT_FOR_VALIDATION = 0.05


def protocol_of(dataset: str) -> Protocol:
    """By the name of the dataset."""
    if dataset.startswith(OWN_DATA_PREFIXES):
        return OWN_TEXTS if dataset.startswith("text:") else OWN_DATA
    if dataset not in PROTOCOLS:
        raise unknown("dataset", dataset, [*PROTOCOLS, *(f"{p}PATH" for p in OWN_DATA_PREFIXES)])
    return PROTOCOLS[dataset]


def resolved(config: Config) -> Config:
    """The config with every open field decided, and with values that can be run."""
    protocol = protocol_of(config.dataset)
    method = find_method(config.method)
    if method.kind != "replay":
        for field in ("memory", "retrieval", "transforms"):
            value = getattr(config, field)
            allowed = method.kind == "averaged gradient" and field == "memory"
            require(
                value is None or allowed,
                f"{config.method} takes no {field}, and {field} is {value!r}; leave it out",
            )
    if method.epochs is not None:
        require(
            config.stream in ("class-split", "iid"),
            f"{config.method} has a stream of its own, and stream is {config.stream!r}; "
            "leave it out",
        )
        config = replace(config, stream="iid", epochs=method.epochs)
    require(config.seed >= 0, f"seed is {config.seed}; give 0 or more")
    require(0 < config.scale <= 1, f"scale is {config.scale}; give a number in (0, 1]")
    require(config.lr > 0, f"lr is {config.lr}; give a learning rate above 0")
    for field in COUNTS:
        count = getattr(config, field)
        require(count is None or count >= 1, f"{field} is {count}; give 1 or more")
    require(
        (config.schedule is not None) == (config.stream == "drift"),
        f"stream is {config.stream!r} and schedule is {config.schedule!r}; "
        "a drift stream needs a schedule, and no other stream takes one",
    )
    model = config.model or protocol.model
    if method.flow is None:
        config = without_flow_settings(config, method.options)
    config = with_recipe(config, model, method.flow)
    require(
        method.flow is not None or not config.evolve_stream,
        f"evolve_stream is true, but {config.method} has no flow by which the stream batch could "
        "evolve; take a method with one, for instance er+ld, or leave out evolve_stream",
    )
    require(
        method.flow is not None or not config.input_rate,
        f"input_rate is {config.input_rate}, but {config.method} has no flow beside which the "
        "input could take a step; take a method with one, for instance er+ld, or leave it out",
    )
    space = config.space or protocol.space
    require(
        not config.input_rate or space != "input",
        f"input_rate is {config.input_rate}, a step of the input beside those on a layer, but "
        "the input itself evolves; name a layer, for instance space=layer3, or leave it out",
    )
    if protocol.model == "text":
        require(
            space != "input",
            "space is 'input', but the tokens of a text cannot move; give embedding, or a layer "
            "above it",
        )
        require(
            not config.input_rate,
            f"input_rate is {config.input_rate}, but the tokens of a text cannot move; leave it "
            "out",
        )
        transforms = method.transforms if config.transforms is None else config.transforms
        require(
            "augment" not in transforms,
            f"{config.method} augments, and augmentation turns, scales and shifts images: it makes "
            "no sense of texts; take another method or leave out the transform",
        )
    device = resolved_device(config.device)
    return replace(
        config,
        segments=protocol.segments if config.segments is None else config.segments,
        memory_size=protocol.memory_size if config.memory_size is None else config.memory_size,
        # SPEC: iid methods see every example once an epoch
        updates=(1 if method.epochs else protocol.updates)
        if config.updates is None
        else config.updates,
        candidates=protocol.candidates if config.candidates is None else config.candidates,
        rate=protocol.rate if config.rate is None else config.rate,
        model=model,
        space=space,
        precision=resolved_precision(config.precision, device),
        device=device,
    )


def resolved_precision(name: Precision, device: Device) -> Precision:
    """`auto` to bfloat16 where the hardware computes with it, to float32 elsewhere."""
    if name != "auto":
        return name
    if device == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    if device == "cpu" and cpu_computes_in_bfloat16():
        return "bfloat16"
    return "float32"


def cpu_computes_in_bfloat16() -> bool:
    """Whether this CPU has instructions for bfloat16 products, not only for conversions."""
    asked = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(bool(getattr(torch.cpu, name, lambda: False)()) for name in asked)


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

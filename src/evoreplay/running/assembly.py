"""From a resolved config to the learner it describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import nn

from evoreplay.evolution import Flow, Hamiltonian, Langevin, MemoryEnergy, Noise, Stein
from evoreplay.learners import (
    AveragedGradientLearner,
    FineTuningLearner,
    Learner,
    ReplayLearner,
)
from evoreplay.memory import GradientSelectionMemory, ReservoirMemory
from evoreplay.parts import Memory, Retrieval, Transform
from evoreplay.retrieval import MaximallyInterferedRetrieval, UniformRetrieval
from evoreplay.running.config import Config
from evoreplay.running.methods import Method, find_method
from evoreplay.transforms import Augmentation, Editing


def make_learner(config: Config, model: nn.Module, *, natural: bool = True) -> Learner:
    """The learner of a resolved config; `natural` images may be flipped when augmented."""
    method = find_method(config.method)
    # one kernel for all parameters; where there is none, one call for many of them
    fused = config.device in ("cpu", "cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=config.lr, fused=fused, foreach=not fused)
    common: dict[str, Any] = {
        "seed": config.seed,
        "updates": config.updates,
        "precision": config.precision,
    }
    if method.kind == "fine-tuning":
        return FineTuningLearner(model, optimizer, **common)
    memory = make_memory(config, method)
    if method.kind == "averaged gradient":
        reference = config.reference
        return AveragedGradientLearner(
            model, optimizer, memory=memory, reference=reference, **common
        )
    raw_weight = config.raw_weight if config.raw_weight is not None else method.replay_weight
    return ReplayLearner(
        model,
        optimizer,
        memory=memory,
        retrieval=make_retrieval(config, method),
        transforms=make_transforms(config, method, natural),
        evolution=None if method.flow is None else make_flow(method.flow, config),
        energy=MemoryEnergy(
            alignment=cast(float, config.alignment),
            proximity=config.proximity,
            mode=config.dot_product,
        ),
        space=None if config.space == "input" else config.space,
        input_rate=cast(float, config.input_rate),
        evolve_stream=config.evolve_stream,
        recipe=config.recipe,
        raw_weight=raw_weight,
        evolved_weight=config.evolved_weight,
        statistics=config.statistics,
        forward=config.forward,
        write_back=config.write_back,
        extra_statistics=cast(int, config.steps) if method.extra_statistics else 0,
        **common,
    )


def make_memory(config: Config, method: Method) -> Memory:
    """What is kept."""
    capacity = cast(int, config.memory_size)
    if (config.memory or method.memory) == "gss":
        return GradientSelectionMemory(capacity)
    return ReservoirMemory(capacity)


def make_retrieval(config: Config, method: Method) -> Retrieval:
    """What is replayed."""
    if (config.retrieval or method.retrieval) == "mir":
        candidates = max(cast(int, config.candidates), config.replay_size)
        return MaximallyInterferedRetrieval(config.replay_size, candidates=candidates)
    return UniformRetrieval(config.replay_size)


def make_transforms(config: Config, method: Method, natural: bool) -> list[Transform]:
    """What is done to it: edits first, because they are kept, then augmentation."""
    names = method.transforms if config.transforms is None else config.transforms
    transforms: list[Transform] = []
    if "gmed" in names:
        transforms.append(
            Editing(stride=config.stride, reg=config.reg, decay=config.decay, sign=config.edit_sign)
        )
    if "augment" in names:
        transforms.append(Augmentation(flip=natural))
    return transforms


def make_flow(name: str, config: Config) -> Flow:
    """The flow that a suffix stands for, with the options of the config."""
    common: dict[str, Any] = {
        "steps": config.steps,
        "rate": config.rate,
        "temperature": config.temperature,
        "step": config.step,
        "clamp": config.clamp,
    }
    hamiltonian: dict[str, Any] = {
        "friction": config.friction,
        "initial_velocity": config.initial_velocity,
    }
    matched: dict[str, Any] = {**hamiltonian, "match": config.match}
    makers: dict[str, Callable[[], Flow]] = {
        "ld": lambda: Langevin(**common),
        "svgd": lambda: Stein(**common),
        "hmc": lambda: Hamiltonian(**common, **hamiltonian),
        "noise": lambda: Noise(**common, **matched),
    }
    return makers[name]()

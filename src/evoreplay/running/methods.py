"""Methods by name, and the learner that each name stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import nn

from evoreplay.errors import unknown
from evoreplay.evolution import Flow, Hamiltonian, Langevin, MemoryEnergy, Noise, Stein
from evoreplay.learners import FineTuningLearner, Learner, ReplayLearner
from evoreplay.memory import ReservoirMemory
from evoreplay.retrieval import UniformRetrieval
from evoreplay.running.config import Config


@dataclass(frozen=True)
class Method:
    """A named combination of parts."""

    name: str
    summary: str
    flow: str | None = None
    """ld, svgd, hmc or noise."""
    replays: bool = True


FLOWS = {
    "ld": "evolved by Langevin dynamics (WGF-LD)",
    "svgd": "evolved by Stein variational gradient descent (WGF-SVGD)",
    "hmc": "evolved by Hamiltonian dynamics (WGF-HMC)",
    "noise": "with the same total noise and no gradient (control)",
}

BASES = (
    Method("fine-tuning", "the stream loss alone", replays=False),
    Method("er", "experience replay: reservoir memory, uniform replay"),
)

METHODS: dict[str, Method] = {base.name: base for base in BASES} | {
    f"er+{flow}": Method(f"er+{flow}", f"er, {words}", flow) for flow, words in FLOWS.items()
}


def find_method(name: str) -> Method:
    """By name, or an error with the nearest one."""
    if name not in METHODS:
        raise unknown("method", name, METHODS)
    return METHODS[name]


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
    makers: dict[str, Callable[[], Flow]] = {
        "ld": lambda: Langevin(**common),
        "svgd": lambda: Stein(**common),
        "hmc": lambda: Hamiltonian(**common, **hamiltonian),
        "noise": lambda: Noise(**common, **hamiltonian, match=config.match),
    }
    return makers[name]()


def make_learner(config: Config, model: nn.Module) -> Learner:
    """The learner of a resolved config."""
    method = find_method(config.method)
    optimizer = torch.optim.SGD(model.parameters(), lr=config.lr)
    common: dict[str, Any] = {
        "seed": config.seed,
        "updates": config.updates,
        "precision": config.precision,
    }
    if not method.replays:
        return FineTuningLearner(model, optimizer, **common)
    return ReplayLearner(
        model,
        optimizer,
        memory=ReservoirMemory(cast(int, config.memory_size)),
        retrieval=UniformRetrieval(config.replay_size),
        evolution=None if method.flow is None else make_flow(method.flow, config),
        energy=MemoryEnergy(
            alignment=config.alignment, proximity=config.proximity, mode=config.dot_product
        ),
        recipe=config.recipe,
        raw_weight=config.raw_weight,
        evolved_weight=config.evolved_weight,
        statistics=config.statistics,
        forward=config.forward,
        write_back=config.write_back,
        **common,
    )

"""From a resolved config to a stream, the data it is evaluated on, and an untrained model."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from evoreplay.datasets import Dataset, digits
from evoreplay.errors import unknown
from evoreplay.models import MLP, ResNet18
from evoreplay.random_state import named_generator, named_seed, seeded_random_state
from evoreplay.running.config import Config
from evoreplay.running.protocol import (
    HELD_OUT_FOR_TEST,
    HELD_OUT_FOR_VALIDATION,
    protocol_of,
)
from evoreplay.streams import ArrayStream, class_groups, class_split, hold_out, indices_by_group


@dataclass(frozen=True)
class Part:
    """Examples to evaluate on, by segment."""

    x: Tensor
    y: Tensor
    segments: list[Tensor]
    """Indices of each segment's examples."""


@dataclass(frozen=True)
class Experiment:
    """All that a run needs beside its learner."""

    dataset: Dataset
    stream: ArrayStream
    validation: Part
    test: Part


def load_dataset(name: str) -> Dataset:
    """By name."""
    protocol_of(name)
    return digits()


def prepare_experiment(config: Config) -> Experiment:
    """The stream and the evaluation parts; they depend on dataset, seed and scale alone."""
    dataset = load_dataset(config.dataset)
    groups = dataset.groups or class_groups(dataset.classes, protocol_of(config.dataset).segments)
    split_generator = named_generator(config.seed, "split")
    train_x, train_y = dataset.train_x, dataset.train_y
    if dataset.test_x is not None and dataset.test_y is not None:
        pools = indices_by_group(train_y, groups)
        test = Part(dataset.test_x, dataset.test_y, indices_by_group(dataset.test_y, groups))
    else:
        by_class = indices_by_group(train_y, [[c] for group in groups for c in group])
        kept, held_out = hold_out(by_class, HELD_OUT_FOR_TEST, split_generator)
        pools = _merged(kept, groups)
        test = Part(train_x, train_y, _merged(held_out, groups))
    pools, validation_pools = hold_out(pools, HELD_OUT_FOR_VALIDATION, split_generator)
    stream = class_split(
        train_x,
        train_y,
        pools,
        batch_size=config.batch_size,
        generator=named_generator(config.seed, "order"),
        scale=config.scale,
    )
    return Experiment(dataset, stream, Part(train_x, train_y, validation_pools), test)


def _merged(by_class: list[Tensor], groups: object) -> list[Tensor]:
    """Pools of classes, in the order of the groups, to pools of groups."""
    remaining = iter(by_class)
    assert isinstance(groups, list | tuple)
    return [torch.cat([next(remaining) for _ in group]) for group in groups]


def make_model(config: Config, dataset: Dataset) -> nn.Module:
    """The untrained network; its weights depend on the seed and the network alone."""
    shape = dataset.train_x.shape[1:]
    device = torch.device(config.device)
    with seeded_random_state(named_seed(config.seed, "init"), torch.device("cpu")):
        if config.model == "mlp":
            model: nn.Module = MLP(shape.numel(), dataset.classes)
        elif config.model == "resnet18":
            model = ResNet18(dataset.classes, size=shape[-1], channels=shape[0])
        else:
            raise unknown("model", str(config.model), ("mlp", "resnet18"))
    return model.to(device)

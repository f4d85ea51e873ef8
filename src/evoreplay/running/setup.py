"""From a resolved config to a stream, the data it is evaluated on, and an untrained model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from evoreplay.datasets import Dataset, load_dataset
from evoreplay.errors import require, unknown
from evoreplay.models import MLP, ResNet18, TextClassifier, in_channels_last
from evoreplay.random_state import named_generator, named_seed, seeded_random_state
from evoreplay.running.config import Config
from evoreplay.running.protocol import (
    HELD_OUT_FOR_TEST,
    HELD_OUT_FOR_VALIDATION,
    USUAL_SEGMENTS,
)
from evoreplay.streams import (
    ArrayStream,
    blurry,
    class_groups,
    class_split,
    drift,
    hold_out,
    iid,
    imbalanced,
    indices_by_group,
)

SMALLEST_RESNET_IMAGE = 25
FINGERPRINT_SAMPLE = 100
MODELS = ("auto", "mlp", "resnet18", "text")


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
    groups: list[list[int]]
    """The classes of each segment."""
    stream: ArrayStream
    validation: Part
    test: Part
    """What accuracies are of; the validation part again if settings are being chosen."""


def prepare_experiment(config: Config, data: Path | None = None) -> Experiment:
    """The stream and what it is evaluated on; they depend on data, stream and seed alone."""
    dataset = load_dataset(config.dataset, data=data)
    groups = segment_classes(dataset, config.segments)
    split_generator = named_generator(config.seed, "split")
    train_x, train_y = dataset.train_x, dataset.train_y
    if dataset.test_x is not None and dataset.test_y is not None:
        pools = indices_by_group(train_y, groups)
        test = Part(dataset.test_x, dataset.test_y, indices_by_group(dataset.test_y, groups))
    else:
        by_class = indices_by_group(train_y, [[c] for group in groups for c in group])
        kept, held_out = hold_out(by_class, HELD_OUT_FOR_TEST, split_generator)
        pools = merged(kept, groups)
        test = Part(train_x, train_y, merged(held_out, groups))
    pools, validation_pools = hold_out(pools, HELD_OUT_FOR_VALIDATION, split_generator)
    require(
        all(len(pool) > 0 for pool in (*validation_pools, *test.segments)),
        f"{dataset.name} has too few examples to hold out some of every segment; "
        "give more data or fewer segments",
    )
    stream = make_stream(config, train_x, train_y, pools)
    validation = Part(train_x, train_y, validation_pools)
    if config.measured_on == "validation":
        test = validation
    return Experiment(dataset, groups, stream, validation, test)


def segment_classes(dataset: Dataset, segments: int | None) -> list[list[int]]:
    """The classes of each segment: those of a domain, or equal groups in the order of labels."""
    if dataset.groups is None:
        wanted = USUAL_SEGMENTS if segments is None else segments
        require(
            wanted <= max(dataset.classes, USUAL_SEGMENTS),
            f"segments is {wanted}, but {dataset.name} has {dataset.classes} classes, and each "
            f"segment needs one; give at most {dataset.classes}",
        )
        return class_groups(dataset.classes, min(wanted, dataset.classes))
    require(
        segments in (None, len(dataset.groups)),
        f"segments is {segments}, but {dataset.name} has {len(dataset.groups)} domains, and these "
        "are its segments; leave out segments",
    )
    return [list(group) for group in dataset.groups]


def data_fingerprint(experiment: Experiment) -> str:
    """Of labels, order and a sample of the examples: other data give another one."""
    stream, test = experiment.stream, experiment.test
    sample = stream.order[:: max(1, len(stream.order) // FINGERPRINT_SAMPLE)]
    digest = hashlib.sha256()
    for tensor in (stream.order, stream.y[stream.order], test.y, stream.x[sample]):
        digest.update(tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def make_stream(config: Config, x: Tensor, y: Tensor, pools: list[Tensor]) -> ArrayStream:
    """The training examples in the order that the config asks for."""
    common: dict[str, Any] = {
        "batch_size": config.batch_size,
        "generator": named_generator(config.seed, "order"),
        "scale": config.scale,
    }
    if config.stream == "iid":
        return iid(x, y, pools, **common, epochs=config.epochs)
    if config.stream == "blurry":
        width, transition = config.width, config.transition
        return blurry(x, y, pools, **common, width=width, transition=transition)
    if config.stream == "imbalanced":
        return imbalanced(x, y, pools, **common, ratio=config.imbalance)
    if config.stream == "drift":
        schedule = config.schedule or ()
        shares = len(schedule[0]) if schedule else 0
        # a row has a share for each group, or one for each class
        scheduled = pools if shares == len(pools) else by_class(y, pools)
        return drift(x, y, scheduled, **common, schedule=schedule, segments=len(pools))
    return class_split(x, y, pools, **common)


def by_class(y: Tensor, pools: Sequence[Tensor]) -> list[Tensor]:
    """Pools of groups to pools of classes, in label order."""
    everything = torch.cat(list(pools))
    labels = y[everything]
    return [everything[labels == label] for label in torch.unique(labels).tolist()]


def merged(by_class: list[Tensor], groups: Sequence[Sequence[int]]) -> list[Tensor]:
    """Pools of classes, in the order of the groups, to pools of groups."""
    remaining = iter(by_class)
    return [torch.cat([next(remaining) for _ in group]) for group in groups]


def make_model(config: Config, dataset: Dataset) -> nn.Module:
    """The untrained network; its weights depend on the seed and the network alone."""
    shape, kind = dataset.train_x.shape[1:], config.model
    if kind == "auto":
        large = len(shape) == 3 and min(shape[1:]) >= SMALLEST_RESNET_IMAGE
        kind = "resnet18" if large else "mlp"
    require(
        (kind == "text") == (dataset.token_ids is not None) or kind not in MODELS,
        f"model is {kind!r} and {dataset.name} holds "
        f"{'texts' if dataset.token_ids else 'no texts'}; model=text and texts belong together",
    )
    with seeded_random_state(named_seed(config.seed, "init"), torch.device("cpu")):
        if kind == "mlp":
            model: nn.Module = MLP(shape.numel(), dataset.classes)
        elif kind == "resnet18":
            require(
                len(shape) == 3 and shape[1] == shape[2],
                f"examples of shape {tuple(shape)} do not fit resnet18, which takes square images; "
                "give --set model=mlp",
            )
            model = ResNet18(dataset.classes, size=shape[-1], channels=shape[0])
            model = in_channels_last(model)
        elif kind == "text":
            model = TextClassifier(cast(int, dataset.token_ids), dataset.classes)
        else:
            raise unknown("model", str(kind), MODELS)
    return model.to(torch.device(config.device))

"""How long a run will take, from counting its passes and timing one pass of its network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from evoreplay.errors import UserError
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.running.config import Config
from evoreplay.running.costs import head_share, passes_of_step, total_units
from evoreplay.running.evaluation import ANYTIME_EXAMPLES, ANYTIME_MEASUREMENTS
from evoreplay.running.setup import Experiment, make_model, prepare_experiment
from evoreplay.sweeps.grid import Job

TRIES = 4
TRAINING_UNITS = 3
AMOUNT = (
    *("dataset", "scale", "segments", "stream", "epochs", "batch_size", "schedule", "imbalance"),
    "measured_on",
)
"""Fields on which the number of batches, or of what is measured, depends; seeds change the order
alone."""


def expected_seconds(jobs: Sequence[Job], data: Path | None = None) -> dict[str, float]:
    """Seconds on one core by name of the run; runs whose data cannot be had are left out."""
    found: dict[str, float] = {}
    experiments: dict[tuple[object, ...], Experiment | None] = {}
    units: dict[tuple[str, str | None], float] = {}
    shares: dict[tuple[str, str | None, str | None], float] = {}
    for job in jobs:
        config = job.config
        kind = tuple(getattr(config, field) for field in AMOUNT)
        if kind not in experiments:
            experiments[kind] = _experiment(config, data)
        experiment = experiments[kind]
        if experiment is None:
            continue
        network = (config.dataset, config.model)
        if network not in units:
            units[network] = seconds_of_unit(config, experiment)
        if (*network, config.space) not in shares:
            shares[*network, config.space] = share_of_head(config, experiment)
        passes = passes_of_step(config, shares[*network, config.space])
        found[job.name] = units[network] * (
            len(experiment.stream) * total_units(passes) + evaluated_examples(experiment)
        )
    return found


def evaluated_examples(experiment: Experiment) -> int:
    """Forward passes of one example for the accuracy matrix, along the stream and at the end."""
    sizes = [len(indices) for indices in experiment.test.segments]
    matrix = sum(sum(sizes[: number + 1]) for number in range(len(sizes)))
    validation = sum(len(indices) for indices in experiment.validation.segments)
    return matrix + validation + ANYTIME_MEASUREMENTS * min(ANYTIME_EXAMPLES, validation)


def seconds_of_unit(config: Config, experiment: Experiment) -> float:
    """A forward pass of one example, from the fastest of some training passes of a batch."""
    model = make_model(config, experiment.dataset)
    inputs = first_inputs(config, experiment)
    labels = next(iter(experiment.stream.batches()))[1].to(config.device)
    times = []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng():
            for _ in range(TRIES):
                # CPU time: others may be at work on this machine
                began = time.process_time()
                cross_entropy(model(inputs), labels).backward()
                times.append(time.process_time() - began)
    finally:
        torch.set_num_threads(threads)
    return min(times) / (TRAINING_UNITS * len(inputs))


def share_of_head(config: Config, experiment: Experiment) -> float:
    """Of the model's cost, that of an evolution step: all of it where the input evolves."""
    if config.space in (None, "input"):
        return 1.0
    model = make_model(config, experiment.dataset)
    try:
        return head_share(model, str(config.space), first_inputs(config, experiment))
    except UserError:
        # a layer that is not there: the run itself will say so
        return 1.0


def first_inputs(config: Config, experiment: Experiment) -> Tensor:
    """Of the first batch, as the model takes them."""
    x, _ = next(iter(experiment.stream.batches()))
    return scaled_to_unit_range(x.to(config.device))


def _experiment(config: Config, data: Path | None) -> Experiment | None:
    try:
        return prepare_experiment(config, data)
    except UserError:
        return None

"""How long a run will take, from counting its passes and timing one pass of its network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from evoreplay.errors import UserError
from evoreplay.learners.learner import scaled_to_unit_range
from evoreplay.running.config import Config
from evoreplay.running.costs import passes_of_step, total_units
from evoreplay.running.evaluation import ANYTIME_EXAMPLES, ANYTIME_MEASUREMENTS
from evoreplay.running.setup import Experiment, make_model, prepare_experiment
from evoreplay.sweeps.grid import Job

TRIES = 4
TRAINING_UNITS = 3


def expected_seconds(jobs: Sequence[Job], data: Path | None = None) -> dict[str, float]:
    """Seconds on one core by name of the run; runs whose data cannot be had are left out."""
    found: dict[str, float] = {}
    experiments: dict[tuple[object, ...], Experiment | None] = {}
    units: dict[tuple[str, str | None], float] = {}
    for job in jobs:
        config = job.config
        # seeds change the order, not the amount
        kind = (config.dataset, config.scale, config.segments, config.stream, config.epochs)
        if kind not in experiments:
            experiments[kind] = _experiment(config, data)
        experiment = experiments[kind]
        if experiment is None:
            continue
        network = (config.dataset, config.model)
        if network not in units:
            units[network] = seconds_of_unit(config, experiment)
        found[job.name] = units[network] * (
            len(experiment.stream) * total_units(passes_of_step(config))
            + evaluated_examples(experiment)
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
    x, y = next(iter(experiment.stream.batches()))
    inputs, labels = scaled_to_unit_range(x.to(config.device)), y.to(config.device)
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
    return min(times) / (TRAINING_UNITS * len(x))


def _experiment(config: Config, data: Path | None) -> Experiment | None:
    try:
        return prepare_experiment(config, data)
    except UserError:
        return None

"""One run: a stream through a learner, measured, saved, and continued if it was interrupted."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import torch

from evoreplay.errors import NonFiniteLossError, UserError
from evoreplay.learners import AveragedGradientLearner, Learner, ReplayLearner
from evoreplay.learners.stopwatch import Stopwatch
from evoreplay.loggers import Observers, incomplete, observing, require_loggers
from evoreplay.running.along_stream import RobustnessAlongStream
from evoreplay.running.assembly import make_learner
from evoreplay.running.checkpoint import Checkpoints, Schedule, environment
from evoreplay.running.config import Config, as_dict, config_hash, run_name
from evoreplay.running.cpu_kind import cpu_kind
from evoreplay.running.directory import Result, RunDirectory, open_run_directory, read_result
from evoreplay.running.evaluation import Evaluator
from evoreplay.running.events import EventLog, read_events
from evoreplay.running.interruption import Interrupted, StopRequest, stop_requests
from evoreplay.running.lock import locked
from evoreplay.running.memory_along_stream import MemoryAlongStream
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import (
    Experiment,
    data_fingerprint,
    make_model,
    prepare_experiment,
)
from evoreplay.running.snapshots import snapshot_positions, take_snapshot
from evoreplay.storage import clear_leftovers

LOG_EVERY = 10
LOGS = "logs"


class Progress(NamedTuple):
    """Where a run is; for displays."""

    config: Config
    position: int
    length: int
    accuracy: float | None
    """The newest anytime accuracy."""


ProgressListener = Callable[[Progress], None]


class Outcome(NamedTuple):
    """A finished run."""

    path: Path
    result: Result
    fresh: bool
    """False if the result was there before."""
    profile: dict[str, float] | None = None
    """Seconds of CPU time by section of a step, if asked for."""


def run(
    config: Config,
    *,
    out: str | Path,
    data: str | Path | None = None,
    listener: ProgressListener = lambda progress: None,
    checkpoints: Schedule | None = None,
    strict: bool = False,
    profile: bool = False,
    loggers: Sequence[str] = (),
) -> Outcome:
    """Run `config` below `out`, or continue it, or, if it is finished, report it.

    Data are looked for in `data`, `$EVOREPLAY_DATA`, `./data`, then the user's cache. A run that
    was begun with another version of torch, say, goes on with a warning, or not at all if `strict`.
    `loggers` (tensorboard, mlflow, wandb) write below `logs` in the run directory, nowhere else.
    """
    require_loggers(loggers)
    out, data = Path(out), None if data is None else Path(data)
    config = resolved(config)
    finished = read_result(out / run_name(config))
    if finished is not None:
        _log_afterwards(out / run_name(config), config, finished, loggers)
        return Outcome(out / run_name(config), finished, fresh=False)
    experiment = prepare_experiment(config, data)
    model = make_model(config, experiment.dataset)
    learner = make_learner(config, model, natural=experiment.dataset.natural)
    watch = Stopwatch() if profile else None
    if watch is not None:
        learner.watch = watch
    directory = open_run_directory(config, out)
    own = environment(config.device, config_hash(config), data_fingerprint(experiment))
    saves = Checkpoints(directory.checkpoints, checkpoints or Schedule(), own)
    try:
        with locked(directory.path), stop_requests() as stop:
            finished = read_result(directory.path)
            if finished is not None:
                return Outcome(directory.path, finished, fresh=False)
            clear_leftovers(directory.path)
            with _observing(directory.path, config, loggers) as observers:
                loop = _Loop(
                    config,
                    directory,
                    experiment,
                    learner,
                    stop,
                    listener,
                    saves,
                    strict,
                    observers,
                )
                result = _to_the_end(loop, stop)
    except OSError as error:
        raise UserError(
            f"cannot write to {directory.path}: {error.strerror or error}; make room or set it "
            "right there, and give the same command again"
        ) from error
    seconds = None if watch is None else dict(watch.seconds)
    return Outcome(directory.path, result, fresh=True, profile=seconds)


def _observing(
    path: Path, config: Config, loggers: Sequence[str]
) -> AbstractContextManager[Observers]:
    return observing(path / LOGS, loggers, title=path.name, settings=as_dict(config))


def _log_afterwards(path: Path, config: Config, result: Result, loggers: Sequence[str]) -> None:
    """The logs that a finished run lacks, from its events."""
    missing = incomplete(path / LOGS, loggers)
    if not missing:
        return
    try:
        with locked(path), _observing(path, config, missing) as observers:
            step = 0
            for event in read_events(path / "events.jsonl"):
                observers.event(event)
                step = event["step"]
            observers.result(result, step)
    except OSError as error:
        raise UserError(
            f"cannot make the logs of {path} from its events: {error.strerror or error}; the run "
            "is finished: leave out the loggers to have its result"
        ) from error


def _to_the_end(loop: _Loop, stop: StopRequest) -> Result:
    """What a loop gives, or why it stopped, in words that say how to go on."""
    try:
        loop.to_the_end()
        return loop.finished()
    except NonFiniteLossError as error:
        raise NonFiniteLossError(
            f"{error}. The last good state is kept in {loop.directory.checkpoints}"
        ) from error
    except Interrupted as interruption:
        loop.save()
        raise Interrupted(
            f"stopped after {loop.position} of {len(loop.experiment.stream)} batches; nothing is "
            f"lost: the same command continues {loop.directory.path}",
            stop.signal_number or 0,
        ) from interruption
    finally:
        loop.log.close()


class _Loop:
    """The state of a run between two batches."""

    def __init__(
        self,
        config: Config,
        directory: RunDirectory,
        experiment: Experiment,
        learner: Learner,
        stop: StopRequest,
        listener: ProgressListener,
        checkpoints: Checkpoints,
        strict: bool,
        observers: Observers,
    ) -> None:
        self.observers = observers
        self.config, self.directory, self.experiment = config, directory, experiment
        self.learner, self.stop, self.listener = learner, stop, listener
        self.checkpoints = checkpoints
        self.position = 0
        self.seconds = self.cpu_seconds = self.moved = 0.0
        saved = checkpoints.newest(strict=strict)
        # the iid stream has no past that could be forgotten
        self.evaluator = Evaluator(
            experiment,
            stop,
            saved and saved["measurements"],
            can_forget=config.stream != "iid",
        )
        attacked = saved.get("attacked", ()) if saved else ()
        self.robustness = RobustnessAlongStream(config, experiment, stop, attacked)
        moments = saved.get("memory", ()) if saved else ()
        self.memory = MemoryAlongStream(config, experiment.stream, stop, moments)
        if saved is not None:
            learner.load_state_dict(saved["learner"])
            self.position = saved["position"]
            self.seconds, self.cpu_seconds = saved["seconds"], saved["cpu_seconds"]
            self.moved = saved["moved"]
        kept = saved["log_length"] if saved else 0
        self.log = EventLog(directory.events, kept, observers.event)
        if saved is None:
            self.log.write("began", step=0, batches=len(experiment.stream))
            self.save()

    def to_the_end(self) -> None:
        """Every batch that is left, once, in order."""
        batches = self.experiment.stream.batches(self.position)
        began = time.monotonic()
        while True:
            self._measure()
            now = time.monotonic()
            self.seconds, began = self.seconds + now - began, now
            if self.stop.signal_number is not None:
                raise Interrupted("interrupted", self.stop.signal_number)
            with self.learner.watch("data"):
                batch = next(batches, None)
            if batch is None:
                break
            if self.checkpoints.is_due(self.position):
                self.save()
            cpu_began = time.process_time()
            step = self.learner.observe(*batch)
            self.cpu_seconds += time.process_time() - cpu_began
            self.moved += step.moved
            self.evaluator.saw(batch[1])
            if self.position % LOG_EVERY == 0:
                self.log.write("step", step=self.position, **step._asdict())
            self.position += 1

    def _measure(self) -> None:
        found = self.evaluator.measure(self.learner, self.position)
        if self.position in snapshot_positions(len(self.experiment.stream)):
            take_snapshot(self.learner, self.position, self.directory)
        if found:
            self.log.write("measured", step=self.position, **found)
            self.log.flush()  # so that others see how far the run is
        # after that line: they may be interrupted, and what was measured stays written
        memory = self.memory.measure(self.learner, self.position)
        if memory is not None:
            self.log.write("memory", step=self.position, **memory)
        seen = self.evaluator.done.seen_classes
        attacked = self.robustness.measure(self.learner, self.position, seen)
        if attacked is not None:
            self.log.write("attacked", step=self.position, **attacked)
        anytime = self.evaluator.done.anytime
        accuracy = anytime[-1]["accuracy"] if anytime else None
        length = len(self.experiment.stream)
        self.listener(Progress(self.config, self.position, length, accuracy))

    def save(self) -> None:
        """A checkpoint of everything that the rest of the run depends on, if it is sound."""
        parameters = list(self.learner.model.parameters())
        if not bool(torch.isfinite(torch.nn.utils.get_total_norm(parameters))):
            raise NonFiniteLossError(
                f"a parameter is not finite after {self.position} batches; lower the learning rate"
            )
        state = {
            "learner": self.learner.state_dict(),
            "position": self.position,
            "measurements": self.evaluator.state(),
            "attacked": self.robustness.done,
            "memory": self.memory.done,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "moved": self.moved,
            "log_length": self.log.length,
        }
        self.checkpoints.write(state)

    def finished(self) -> Result:
        """Write the last checkpoint, the model, the memory and, last of all, the result."""
        result = self._result()
        self.save()
        self.log.write("finished", step=self.position)
        self.log.flush()
        if isinstance(self.learner, ReplayLearner | AveragedGradientLearner):
            memory = self.learner.memory.state_dict()
            tensors = {k: v for k, v in memory.items() if isinstance(v, torch.Tensor)}
            self.directory.write_tensors("memory", tensors)
        self.directory.write_tensors("model", self.learner.model.state_dict())
        self.observers.result(result, self.position)
        self.directory.finish(result)
        return result

    def _result(self) -> Result:
        config, stream, steps = self.config, self.experiment.stream, len(self.experiment.stream)
        ends = (0, *stream.segment_ends)
        sizes = [
            min(after * stream.batch_size, len(stream.order)) - before * stream.batch_size
            for before, after in pairwise(ends)
        ]
        costs = {
            "examples_per_segment": sizes,
            "memory_moved": self.moved / steps,
            "seconds": self.seconds,
            "seconds_per_step": self.cpu_seconds / steps,
            "versions": versions(),
        }
        dataset = self.experiment.dataset
        about = identity(config, subset=dataset.subset, class_names=dataset.class_names)
        found = self.evaluator.summary(self.learner) | self.memory.summary()
        if config.attacked > 0:
            found["robustness_along_stream"] = self.robustness.done
        return about | found | costs


def identity(
    config: Config,
    *,
    subset: str | None = None,
    class_names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What a result says of the run itself; `class_names` where the data have them."""
    return {
        "dataset": config.dataset,
        "subset": subset,
        **({} if class_names is None else {"class_names": list(class_names)}),
        "method": config.method,
        "recipe": config.recipe,
        "seed": config.seed,
        "scale": config.scale,
        "config": as_dict(config),
        "config_hash": config_hash(config),
    }


def versions() -> dict[str, Any]:
    """What the numbers were made with."""
    return {
        "evoreplay": version("evoreplay"),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
        "cpu": cpu_kind(),
    }

"""`evoreplay run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import torch
import tyro
from rich.console import Console
from rich.table import Table

from evoreplay.commands.options import given
from evoreplay.display import Display, plain_line
from evoreplay.errors import require
from evoreplay.learners.stopwatch import SECTIONS
from evoreplay.running import Config, Outcome, run
from evoreplay.running.checkpoint import Schedule
from evoreplay.running.config import field_help, parse_settings, run_name, with_settings
from evoreplay.running.experiment_file import read_experiment
from evoreplay.running.found import failure_remembered
from evoreplay.running.protocol import Protocol, resolved
from evoreplay.running.recipes import DECIDED


@dataclass(kw_only=True)
class Run:
    """Train one method on one dataset with one seed, or every run of an experiment file.

    The same command again continues an interrupted run, or reports a finished one.

    example: evoreplay run --dataset digits --method er+ld --seed 0 --set rate=0.02 steps=2

    example: evoreplay run experiment.yaml --out runs
    """

    experiment: Annotated[
        Path | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[FILE]", help_behavior_hint="(optional)"),
    ] = None
    """A YAML file with the keys dataset, method, seeds, set; options beside it overrule it."""
    dataset: Annotated[str | None, given("NAME", "digits")] = None
    """Name of the dataset."""
    method: Annotated[str | None, given("NAME", "er+ld")] = None
    """Name of the method, for instance er, er+ld, er+svgd, er+hmc."""
    seed: Annotated[int | None, given("NUMBER", "0")] = None
    """Seed of everything that is random."""
    out: Path = Path("runs")
    """Where the run directories go."""
    data: Path | None = None
    """Where the data are, before $EVOREPLAY_DATA, ./data and the user's cache."""
    set: Annotated[
        tuple[str, ...],
        tyro.conf.arg(metavar="NAME=VALUE ...", help_behavior_hint=""),
    ] = ()
    """Any field of the config as name=value, one or more; --fields lists them."""
    device: Annotated[str | None, given("NAME", "auto")] = None
    """auto, cpu, cuda or mps."""
    scale: Annotated[float | None, given("SHARE", "1")] = None
    """Share of each segment of the stream to use."""
    threads: int = 1
    """Threads that torch may use; recorded, because sums may round differently."""
    checkpoint_steps: Annotated[int | None, given("NUMBER", "off")] = None
    """Save after so many batches, too."""
    checkpoint_seconds: float = 60.0
    """Save after so many seconds; later if saving would take more than 2 % of the time."""
    strict: bool = False
    """Refuse to continue a run under another torch, number of threads or device."""
    log: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ...", help_behavior_hint="")] = ()
    """Loggers that watch: tensorboard, mlflow, wandb, none or more; they write into the run."""
    profile: bool = False
    """Show where the time of a step goes: data, stream, retrieval, evolution, update, memory."""
    fields: bool = False
    """List every field that --set reaches, and stop."""
    dry_run: bool = False
    """Show what would be run, and stop."""
    quiet: bool = False
    """Print nothing but errors."""

    def __call__(self, console: Console) -> None:
        if self.fields:
            print_fields(console)
            return
        configs = self._configs()
        if self.dry_run:
            for config in configs:
                path = self.out / run_name(resolved(config))
                plain_line(console, str(path))
            return
        require(self.threads >= 1, f"--threads is {self.threads}; give 1 or more")
        torch.set_num_threads(self.threads)
        require(
            self.checkpoint_steps is None or self.checkpoint_steps >= 1,
            f"--checkpoint-steps is {self.checkpoint_steps}; give 1 or more",
        )
        options = {
            "data": self.data,
            "checkpoints": Schedule(self.checkpoint_steps, self.checkpoint_seconds),
            "strict": self.strict,
            "profile": self.profile,
            "loggers": self.log,
        }
        outcomes = run_all(configs, self.out, console, self.quiet, **options)
        if self.profile:
            print_profile(console, outcomes)

    def _configs(self) -> list[Config]:
        options = {
            "dataset": self.dataset,
            "method": self.method,
            "seed": self.seed,
            "device": self.device,
            "scale": self.scale,
        }
        settings = {k: v for k, v in options.items() if v is not None} | parse_settings(self.set)
        if self.experiment is None:
            return [with_settings(Config(), settings)]
        return [with_settings(config, settings) for config in read_experiment(self.experiment)]


def run_all(
    configs: Sequence[Config],
    out: Path,
    console: Console,
    quiet: bool,
    **options: Any,
) -> list[Outcome]:
    """One run after the other, shown as they go; `options` are those of `run`."""
    outcomes = []
    with Display(console, total_runs=len(configs), quiet=quiet) as display:
        for config in configs:
            with failure_remembered(out / run_name(resolved(config))):
                outcome = run(config, out=out, listener=display, **options)
            outcomes.append(outcome)
            display.finished(summary_line(outcome))
    return outcomes


def print_profile(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Milliseconds of CPU time of a step, by section."""
    table = Table("run", *SECTIONS, "sum", title="milliseconds of CPU time of a step")
    for outcome in outcomes:
        name = outcome.path.name
        if outcome.profile is None:
            table.add_row(name, "was there already")
            continue
        steps = sum(outcome.result["examples_per_segment"]) / outcome.result["config"]["batch_size"]
        times = [1000 * outcome.profile.get(section, 0.0) / steps for section in SECTIONS]
        table.add_row(name, *(f"{value:.2f}" for value in [*times, sum(times)]))
    console.print(table)


def print_fields(console: Console) -> None:
    """Every field of the config: name, default and meaning."""
    table = Table("name", "default", "meaning", title="fields that --set reaches")
    filled_in = {field.name: "by dataset" for field in fields(Protocol)}
    filled_in |= dict.fromkeys(DECIDED, "by recipe")
    for field in fields(Config):
        usual = filled_in.get(field.name, "none") if field.default is None else field.default
        table.add_row(field.name, str(usual), field_help(Config, field.name))
    console.print(table)


def summary_line(outcome: Outcome) -> str:
    """A finished run in one line."""
    result = outcome.result
    forgotten = result["forgetting"]
    words = f"accuracy {result['final_accuracy']:.1%}"
    if forgotten is not None:
        words += f", forgetting {forgotten:.1%}"
    words += f", {result['seconds']:.1f} s" if outcome.fresh else ", was there already"
    return f"{outcome.path}: {words}"

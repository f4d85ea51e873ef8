"""`evoreplay attack`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import torch
import tyro
from rich.console import Console

from evoreplay.commands.options import given
from evoreplay.display import Display
from evoreplay.errors import UserError, require
from evoreplay.running.attack_budgets import attacks_of
from evoreplay.running.finished import run_directories
from evoreplay.running.robustness import Robustness, attack_run


@dataclass(kw_only=True)
class Attack:
    """Measure the accuracy of finished runs under attack; results go to their robustness.json.

    The same command again continues an interrupted attack, or reports a finished one.

    example: evoreplay attack runs/digits-er-s0-1234abcd

    example: evoreplay attack runs --attack cw --budget full
    """

    path: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """A run directory, or a folder: every finished run below it."""
    attack: Annotated[str, tyro.conf.arg(metavar="pgd|cw")] = "pgd"
    """pgd: the largest damage within a radius; cw: the smallest change that fools."""
    budget: Annotated[str, tyro.conf.arg(metavar="quick|full")] = "quick"
    """Of cw: 50 steps at one constant, or 9 searches of 1000 steps."""
    examples: Annotated[str | None, given("NUMBER|all", "1000, or all there are")] = None
    """Test images, always the same, balanced over classes."""
    eps: Annotated[
        tuple[str, ...],
        tyro.conf.arg(metavar="EPS ...", help_behavior_hint="(default: 0 1/255 ... 10/255)"),
    ] = ()
    """Radii of pgd in pixels of [0, 1], as 0.02 or 4/255."""
    data: Path | None = None
    """Where the data are, before $EVOREPLAY_DATA, ./data and the user's cache."""
    threads: int = 1
    """Threads that torch may use; recorded, because sums may round differently."""
    quiet: bool = False
    """Print nothing but errors."""

    def __call__(self, console: Console) -> None:
        require(self.threads >= 1, f"--threads is {self.threads}; give 1 or more")
        radii = [radius(text) for text in self.eps]
        # before a long search for runs: what is wrong with the options
        attacks_of(self.attack, self.budget, radii)
        examples = number(self.examples)
        torch.set_num_threads(self.threads)
        runs = run_directories(self.path)
        refused: list[UserError] = []
        with Display(console, total_runs=len(runs.finished), quiet=self.quiet) as display:
            for path in runs.unfinished:
                if not self.quiet:
                    display.line(f"{path}: not finished, left out")
            for path in runs.finished:
                try:
                    outcome = attack_run(
                        path,
                        attack=self.attack,
                        budget=self.budget,
                        radii=radii,
                        examples=examples,
                        data=self.data,
                        listener=display,
                    )
                except UserError as error:
                    # one run that cannot be attacked does not keep the others waiting
                    refused.append(error)
                    continue
                display.finished(summary_line(outcome, self.attack, self.budget))
        if refused:
            several = f"{len(refused)} of {len(runs.finished)} runs were not attacked: "
            words = "; ".join(str(error) for error in refused)
            raise UserError(words if len(runs.finished) == 1 else several + words)


def radius(text: str) -> float:
    """A number or a fraction, 0 or more."""
    try:
        value = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise UserError(f"--eps got {text!r}; give a number or a fraction, as 4/255") from None
    require(value >= 0, f"--eps is {text}; give 0 or more")
    return value


def number(text: str | None) -> int | None:
    """Of examples; all is 0."""
    if text is None or text == "all":
        return None if text is None else 0
    require(
        text.isdecimal() and int(text) > 0,
        f"--examples is {text!r}; give a number, 1 or more, or all",
    )
    return int(text)


def summary_line(outcome: Robustness, attack: str, budget: str) -> str:
    """What was found, in one line."""
    found = outcome.found
    if attack == "pgd":
        words = ", ".join(
            f"{point['accuracy']:.1%} at {255 * point['eps']:.3g}/255"
            for point in found["pgd"]["curve"]
        )
        words = f"accuracy under pgd {words}"
    else:
        entry = found["cw"][budget]
        words = f"accuracy under cw ({budget}) {entry['accuracy']:.1%}"
        words += f", {entry['accuracy_at_half']:.1%} within l2 0.5"
        if entry["mean_l2"] is not None:
            words += f", mean l2 of successes {entry['mean_l2']:.3f}"
    words += f"; {found['examples']} {outcome.measured_on} images"
    return f"{outcome.path}: {words}" + ("" if outcome.fresh else ", was there already")

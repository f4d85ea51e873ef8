"""The command line: one class of `evoreplay.commands` for each command."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version

import tyro
from rich.console import Console

from evoreplay.commands.attack import Attack
from evoreplay.commands.bench import Bench
from evoreplay.commands.data import Data
from evoreplay.commands.demo import Demo
from evoreplay.commands.methods import Methods
from evoreplay.commands.report import Report
from evoreplay.commands.reproduce import Reproduce
from evoreplay.commands.run import Run
from evoreplay.commands.runs import Runs
from evoreplay.commands.sweep import SomeRunsFailedError, Sweep
from evoreplay.errors import NonFiniteLossError, UserError
from evoreplay.running.interruption import Interrupted

Command = Demo | Run | Sweep | Reproduce | Report | Attack | Runs | Data | Methods | Bench

EXIT_BAD_INPUT = 2
EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


def gathered_settings(arguments: Sequence[str]) -> list[str]:
    """All `--set` as one: it may be given several times, each with one or more name=value."""
    others: list[str] = []
    settings: list[str] = []
    collecting = False
    for argument in arguments:
        if argument == "--set":
            collecting = True
        elif collecting and not argument.startswith("-") and not argument.endswith(".yaml"):
            settings.append(argument)
        else:
            collecting = False
            others.append(argument)
    return [*others, "--set", *settings] if settings else list(arguments)


def parsed(arguments: Sequence[str]) -> Command:
    """The command that the arguments ask for, not yet begun; help and mistakes end the program."""
    return tyro.cli(
        Command,
        prog="evoreplay",
        description="Task-free continual learning with a replay memory that evolves.",
        args=gathered_settings(arguments) or ["--help"],
        config=(tyro.conf.FlagCreatePairsOff,),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if "--version" in arguments:
        print(f"evoreplay {version('evoreplay')}")
        return 0
    command = parsed(arguments)
    warnings.formatwarning = lambda message, *_, **__: f"evoreplay: warning: {message}\n"
    try:
        # brackets in what a user named or in a field's help are not markup
        command(Console(markup=False))
    except UserError as error:
        print(f"evoreplay: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except (NonFiniteLossError, SomeRunsFailedError) as error:
        print(f"evoreplay: {error}", file=sys.stderr)
        return EXIT_FAILED
    except Interrupted as error:
        print(f"evoreplay: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("evoreplay: stopped", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0

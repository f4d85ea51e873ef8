"""The command that makes a run again, with only the settings that the protocol does not give."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evoreplay.errors import UserError
from evoreplay.reports.labels import setting_text
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.usual import IDENTITY, settings_beside_protocol
from evoreplay.running import Config
from evoreplay.running.config import config_hash, with_settings
from evoreplay.running.protocol import resolved


def settings_to_name(config: Mapping[str, Any]) -> dict[str, Any]:
    """What `--set` has to name.

    Precision is always named: left to itself it depends on the machine. The device has an option of
    its own.
    """
    return settings_beside_protocol(config) | {"precision": config["precision"]}


def command_of(run: FinishedRun) -> str:
    """One line for a shell."""
    config = run.config
    words = ["evoreplay", "run", "--dataset", config["dataset"], "--method", config["method"]]
    words += ["--seed", str(config["seed"])]
    if config["scale"] != 1:
        words += ["--scale", repr(config["scale"])]
    words += ["--device", str(config["device"])]
    # sums over several threads may round differently
    if run.versions.get("threads", 1) != 1:
        words += ["--threads", str(run.versions["threads"])]
    settings = settings_to_name(config)
    words += ["--set", *(f"{name}={setting_text(value)}" for name, value in settings.items())]
    return shlex.join(words)


def gives_the_same_config(run: FinishedRun) -> bool:
    """Whether the command, in this version, resolves to the config that the run has."""
    named = {field: run.config[field] for field in IDENTITY}
    try:
        config = with_settings(Config(), named | settings_to_name(run.config))
        # the device of the run may not be one of this machine
        found = replace(resolved(replace(config, device="cpu")), device=run.config["device"])
    except UserError:
        return False
    return config_hash(found) == run.config_hash

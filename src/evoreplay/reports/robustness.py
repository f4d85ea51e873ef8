"""What `robustness.json` of a run says; every part of it may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoreplay.errors import UserError, require
from evoreplay.reports.reading import number, read_json, share

PIXEL = 255
PGD_SETTINGS = ("norm", "steps", "step_size", "restarts", "examples")
CARLINI_WAGNER_SETTINGS = ("searches", "constant", "steps", "rate", "examples")
"""Attacks that differ in one of these, the number of images too, are not compared."""


@dataclass(frozen=True)
class CarliniWagner:
    """Accuracy under one budget of the Carlini-Wagner attack."""

    budget: str
    """An unlimited attack fools everything, so this stands beside the numbers."""
    accuracy: float
    mean_l2: float | None
    """Of the successful attacks."""
    accuracy_at_half: float | None
    """Counting as fooled only what was moved by an l2 norm of at most 0.5."""


@dataclass(frozen=True)
class Attacked:
    """Accuracy at one moment of the stream."""

    clean: float | None
    accuracy: float


@dataclass(frozen=True)
class Robustness:
    """Accuracy of one run under attack."""

    examples: int | None
    pgd_settings: str
    pgd: Mapping[float, float]
    """Accuracy by eps."""
    carlini_wagner: Mapping[str, CarliniWagner]
    """By the name of the budget: quick, full."""
    along_stream: Mapping[float, Mapping[int, Attacked]]
    """By eps, then by batch."""


def read_robustness(path: Path, config_hash: str) -> Robustness | None:
    """That of the run in `path`, None if there is none; `UserError` if it cannot be used."""
    file = path / "robustness.json"
    if not file.exists():
        return None
    found = read_json(file)
    try:
        require(found["config_hash"] == config_hash, "it belongs to another config")
        return _parsed(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise UserError(f"robustness.json is left out: {said}") from error


def _parsed(found: dict[str, Any]) -> Robustness:
    counted = {"examples": found["examples"]} if found.get("examples") is not None else {}
    pgd = found.get("pgd") or {}
    along: dict[float, dict[int, Attacked]] = {}
    for moment in found.get("along_stream") or ():
        attacked = Attacked(share(moment.get("clean")), _there(share(moment["accuracy"])))
        along.setdefault(_there(number(moment["eps"])), {})[int(moment["batch"])] = attacked
    return Robustness(
        examples=found.get("examples"),
        pgd_settings=_settings(pgd | counted, PGD_SETTINGS),
        pgd={
            _there(number(point["eps"])): _there(share(point["accuracy"]))
            for point in pgd.get("curve") or ()
        },
        carlini_wagner={
            str(name): CarliniWagner(
                budget=_settings(attack | counted, CARLINI_WAGNER_SETTINGS),
                accuracy=_there(share(attack["accuracy"])),
                mean_l2=number(attack.get("mean_l2")),
                accuracy_at_half=share(attack.get("accuracy_at_half")),
            )
            for name, attack in sorted((found.get("cw") or {}).items())
        },
        along_stream=along,
    )


def eps_text(eps: float) -> str:
    """As a number of grey levels where it is one."""
    levels = eps * PIXEL
    return f"{levels:.0f}/255" if abs(levels - round(levels)) < 1e-6 else f"{eps:g}"


def _settings(found: dict[str, Any], names: tuple[str, ...]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {_short(name, found[name])}" for name in names if name in found
    )


def _short(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return eps_text(value) if name == "step_size" else f"{value:.4g}"


def _there(value: float | None) -> float:
    require(value is not None, "a number is missing")
    assert value is not None
    return value

"""How the page looks: colours by day and by night, then `page.css`."""

from __future__ import annotations

from importlib.resources import files

from evoreplay.reports.figures.classes import SPARE
from evoreplay.reports.figures.colours import (
    DARK_INK,
    DARK_PAPER,
    DARK_SERIES,
    INK,
    PAPER,
    SERIES,
)

LIGHT = {
    "paper": PAPER,
    "ink": INK,
    "soft": "#565c66",
    "rule": "#d7dade",
    "shade": "#f1f3f5",
    "link": "#0b57c2",
    "warn": "#8a4b00",
    "higher": "#0b6b3a",
    "lower": "#a3231b",
}
DARK = {
    "paper": DARK_PAPER,
    "ink": DARK_INK,
    "soft": "#a9b0ba",
    "rule": "#3a404a",
    "shade": "#20252c",
    "link": "#8ab8ff",
    "warn": "#f0b35e",
    "higher": "#63d196",
    "lower": "#ff9a8f",
}


def stylesheet() -> str:
    """Colours by day and by night, then everything else."""
    rules = files("evoreplay.reports").joinpath("page.css").read_text(encoding="utf-8")
    day = _variables(LIGHT | _series(SERIES))
    night = _variables(DARK | _series(DARK_SERIES))
    lines = "".join(f".s{n} {{ --c: var(--s{n}); }}\n" for n in range(len(SERIES)))
    return (
        f":root {{ {day} }}\n@media screen and (prefers-color-scheme: dark) "
        f"{{ :root {{ {night} }} }}\n{lines}{rules}"
    )


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def _series(colours: tuple[str, ...]) -> dict[str, str]:
    return {f"s{n}": colour for n, colour in enumerate((*colours, *SPARE))}

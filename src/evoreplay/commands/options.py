"""How options of the command line look."""

from __future__ import annotations

import tyro


def given(metavar: str, default: str) -> object:
    """An option that may be left out, with the default it then has."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=f"(default: {default})")

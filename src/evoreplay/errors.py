"""Errors that a person can act on: what was given, what is allowed, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """Something that was given cannot be used; the message says what to do about it."""


class NonFiniteLossError(ArithmeticError):
    """A loss or its gradient became infinite or not a number; the parameters were not stepped."""


def require(condition: bool, message: str) -> None:
    """Raise `UserError(message)` unless `condition` holds."""
    if not condition:
        raise UserError(message)


def require_finite(owner: object, *names: str) -> None:
    """Refuse fields of `owner` that are negative, infinite or not a number."""
    for name in names:
        value = getattr(owner, name)
        require(0 <= value < float("inf"), f"{name} is {value!r}; give a finite number, 0 or more")


def unknown(kind: str, given: str, known: Iterable[str]) -> UserError:
    """The error for a name that does not exist, with the nearest that does."""
    names = sorted(known)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return UserError(f"unknown {kind} {given!r}{hint} Known: {', '.join(names)}")

"""Parts as plain data, and back: how a saved learner finds its parts again."""

from __future__ import annotations

from typing import Any

from evoreplay import evolution, memory, retrieval, transforms
from evoreplay.errors import UserError
from evoreplay.parts import settings_of

OUR_PARTS: dict[str, type[Any]] = {
    name: getattr(package, name)
    for package in (evolution, memory, retrieval, transforms)
    for name in package.__all__
}


def described(part: object) -> Any:
    """[name, settings] of our parts, [name, None] of a user's own, None of none; tuples too."""
    if isinstance(part, tuple):
        return tuple(described(one) for one in part)
    return None if part is None else [type(part).__name__, settings_of(part)]


def rebuilt(role: str, description: Any, given: dict[str, Any]) -> Any:
    """The part itself: the one given again under `role`, or ours made anew."""
    if role in given:
        return given[role]
    if isinstance(description, tuple):
        return tuple(rebuilt(role, one, {}) for one in description)
    if description is None:
        return None
    name, settings = description
    if settings is None:
        raise UserError(
            f"the saved learner's {role} is a {name} of your own; pass it again: load(..., {role}=)"
        )
    return OUR_PARTS[name](**settings)

"""JSON that someone else wrote, read with open eyes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from evoreplay.errors import UserError, require


def read_json(path: Path) -> Any:
    """JSON without infinities, or a `UserError` that names the file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}") from error
    # deep nesting ends in a RecursionError
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name} is damaged: it is no JSON") from error


def number(value: Any) -> float | None:
    """A finite number or None; anything else is an error."""
    if value is None:
        return None
    require(
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
        f"{value!r} is no number",
    )
    return float(value)


def share(value: Any) -> float | None:
    """A number from 0 to 1, or None."""
    found = number(value)
    require(found is None or 0 <= found <= 1, f"{value!r} is no share: it is not in [0, 1]")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")

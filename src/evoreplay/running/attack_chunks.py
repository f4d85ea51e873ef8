"""What an unfinished attack has found so far, chunk by chunk, so that a killed one continues."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from evoreplay.running.attack_budgets import BudgetedAttack
from evoreplay.storage import write_json

Distances = list[float | None]


class Chunks:
    """The file `robustness.partial.json` of a run directory; gone when nothing is unfinished.

    `identity` is all that the numbers depend on beside the attack: what was found under another one
    is dropped.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self._path = folder / "robustness.partial.json"
        self._identity = identity
        self._done: dict[str, list[Distances]] = {}
        try:
            saved = json.loads(self._path.read_text())
            if saved["identity"] == identity:
                self._done = saved["chunks"]
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            # nothing there, or nothing that we wrote: it only costs the time to attack again
            return

    def of(self, attack: BudgetedAttack) -> list[Distances]:
        """One list a chunk, for the first chunks."""
        return list(self._done.get(name_of(attack), []))

    def add(self, attack: BudgetedAttack, chunk: Distances) -> None:
        """One more."""
        self._done.setdefault(name_of(attack), []).append(chunk)
        write_json(self._path, {"identity": self._identity, "chunks": self._done})

    def forget(self, *attacks: BudgetedAttack) -> None:
        """They are finished and written elsewhere."""
        for attack in attacks:
            self._done.pop(name_of(attack), None)
        if self._done:
            write_json(self._path, {"identity": self._identity, "chunks": self._done})
        else:
            self._path.unlink(missing_ok=True)


def name_of(attack: BudgetedAttack) -> str:
    """All of its settings."""
    return f"{type(attack).__name__} {json.dumps(dataclasses.asdict(attack))}"

"""What a learner offers its parts during one step."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class StepContext:
    """The part's own generator; a part never sees the stream's segments, nor the other parts."""

    generator: torch.Generator

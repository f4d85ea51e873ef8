"""What one call of `observe` reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from torch import Tensor


class Step(NamedTuple):
    """What one call of `observe` did; with several updates, the last of them."""

    stream_loss: float | None
    """Mean cross-entropy of the incoming batch; None if BatchNorm could not take it."""
    replay_loss: float | None = None
    """The replay part of the loss, weighted; None if nothing was replayed."""
    loss_before: float | None = None
    """Mean cross-entropy of the replayed examples before evolution; None where not computed."""
    loss_after: float | None = None
    """The same after evolution."""
    moved: float = 0.0
    """RMS of the displacement by evolution, in the units of the model."""
    aligned: float | None = None
    """Cosine of the parameter gradients of evolved and raw examples, when asked for."""


class Outcome(NamedTuple):
    """What evolution did to a minibatch."""

    moved: float = 0.0
    aligned: float | None = None


def step_report(
    losses: Mapping[str, Tensor], weights: Mapping[str, float], outcome: Outcome
) -> Step:
    """Losses by name (stream, raw, evolved) and what evolution did, as numbers."""
    values = {name: float(loss.detach()) for name, loss in losses.items()}
    replayed = [weights[name] * value for name, value in values.items() if name in weights]
    return Step(
        stream_loss=values.get("stream"),
        replay_loss=sum(replayed) if replayed else None,
        loss_before=values.get("raw"),
        loss_after=values.get("evolved", values.get("raw")),
        moved=outcome.moved,
        aligned=outcome.aligned,
    )

r"""GMED: edit replayed examples so that the incoming batch interferes with them more.

With g1 and g2 the gradients of the mean loss of the replayed minibatch with respect to its inputs,
at theta and after a virtual step on the stream, theta' = theta - lr grad l(stream),

    x <- x + stride decay^age [ (g2 - g1) - reg g1 ],

age being how often the example was edited before. The edit is kept in memory and the edited
minibatch is what is replayed. With several updates for one incoming batch only the first edits.

Where evolution acts on a layer of the model, x stands for the features z there: they are edited, at
the theta and theta' of the layers above, and the edit is kept as a delta to them.

The sign of the regulariser: the paper subtracts reg g1, which keeps the loss on the example low;
the authors' released code adds it (`sign="released"`).

Reference: Jin et al., "Gradient-based Editing of Memory Examples for Online Task-free Continual
Learning", NeurIPS 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evoreplay.errors import require, require_finite
from evoreplay.parts import Batch, Context, State


@dataclass(frozen=True, kw_only=True)
class Editing:
    """Gradient-based memory editing; written back."""

    stride: float = 0.1
    """Size of an edit."""
    reg: float = 0.01
    """Weight of the regulariser, which keeps examples from becoming too hard."""
    decay: float = 1.0
    """Factor on the stride for each earlier edit of the same example."""
    sign: Literal["paper", "released"] = "paper"
    """Subtract the regulariser, as the paper says, or add it, as the released code does."""

    def __post_init__(self) -> None:
        require_finite(self, "stride", "reg", "decay")
        require(
            self.sign in ("paper", "released"),
            f"sign is {self.sign!r}; give 'paper' or 'released'",
        )

    def apply(self, batch: Batch, context: Context) -> Batch:
        """The edited batch, after writing it to memory."""
        if not context.first_update:
            return batch
        require(
            batch.companions is None,
            "Editing came after Augmentation, but edits are kept in memory and augmented copies "
            "are not; put Editing first",
        )
        x, y = batch.inputs, batch.labels
        now = context.input_gradient(x, y)
        after_stream = context.input_gradient(x, y, at=context.stepped_parameters)
        regulariser = self.reg * now if self.sign == "paper" else -self.reg * now
        stride = self.stride * self.decay ** batch.writes.to(now)
        stride = stride.reshape(-1, *[1] * (now.dim() - 1))
        return context.displaced(batch, stride * ((after_stream - now) - regulariser))

    def state_dict(self) -> State:
        """Nothing: ages are kept with the slots."""
        return {}

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""

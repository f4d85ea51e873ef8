r"""MIR: replay what the incoming batch would hurt most.

A virtual step on the stream alone leads to theta_v = theta - lr grad l(stream). Of C candidates,
drawn uniformly from memory, those are replayed whose loss would rise most:

    score(x, y) = l(theta_v; x, y) - l(theta; x, y).

The step is taken on parameters passed to the forward, so no copy of the model is made and nothing
in it changes. BatchNorm normalises the candidates by their own statistics. Two forwards of C
examples are all it costs beside replay: the stream's gradient is there already.

Reference: Aljundi et al., "Online Continual Learning with Maximally Interfered Retrieval", NeurIPS
2019.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from evoreplay.errors import require
from evoreplay.parts import Context, Memory
from evoreplay.retrieval.uniform import UniformRetrieval, draw_without_replacement


@dataclass(frozen=True)
class MaximallyInterferedRetrieval(UniformRetrieval):
    """The `size` most interfered of `candidates` examples."""

    candidates: int = 50
    """How many examples are drawn and scored."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            isinstance(self.candidates, int) and self.candidates >= self.size,
            f"candidates is {self.candidates!r}; give a whole number, {self.size} or more",
        )

    def select(self, memory: Memory, context: Context) -> Tensor:
        """Slots of the examples to replay, most interfered first."""
        drawn = draw_without_replacement(len(memory), self.candidates, context.generator)
        if len(drawn) <= self.size:
            return drawn
        batch = context.examples(drawn)
        before = context.losses(batch.inputs, batch.labels)
        after = context.losses(batch.inputs, batch.labels, at=context.stepped_parameters)
        worst = (after - before).topk(self.size).indices
        return drawn[worst.cpu()]

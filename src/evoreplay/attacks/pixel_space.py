"""A model of whatever input range as a model of pixels in [0, 1]."""

from __future__ import annotations

from torch import Tensor, nn

from evoreplay.errors import require


class InPixelSpace(nn.Module):
    """`model` behind the map from [0, 1] to [low, high], the input range it was trained on.

    Distances and radii of attacks are then in pixels; a radius is high - low times as large for
    `model` itself.
    """

    def __init__(self, model: nn.Module, *, low: float = -1.0, high: float = 1.0) -> None:
        super().__init__()
        require(low < high, f"low is {low} and high is {high}; give low < high")
        self.model, self.low, self.high = model, low, high

    def forward(self, pixels: Tensor) -> Tensor:
        """Pixels in [0, 1] to logits."""
        logits: Tensor = self.model(self.low + (self.high - self.low) * pixels)
        return logits

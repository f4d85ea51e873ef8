r"""ER_aug: replay augmented copies beside the raw examples.

Each copy is the raw image seen through one random affine map, sampled bilinearly (so its values
stay in the range of the image) with the border repeated:

    u_in = F R(phi) / s * (w u_out) + c

with rotation phi up to 10 degrees, scale s in 0.8 .. 1.2, a flip F with probability 1/2 for
natural images, and a window: for small images padding and cropping at random, that is a shift c of
up to an eighth of the side (4 pixels of 32), for images of 64 pixels and more a random resized crop
of 8 to 100 % of the area with an aspect ratio of 3/4 to 4/3.

The raw copies stay: the memory loss is the mean over both, from one forward pass. With a flow, the
augmented copies evolve, and the two kinds have forward passes of their own.

Reference: Buzzega et al., "Rethinking Experience Replay: a Bag of Tricks for Continual Learning",
2020.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

from evoreplay.errors import require
from evoreplay.parts import Batch, Context, State

RESIZED_CROP_FROM = 64


@dataclass(frozen=True, kw_only=True)
class Augmentation:
    """Label-preserving copies of images, replayed with the raw ones."""

    flip: bool = True
    """Mirror half of the copies; natural images only, never digits or letters."""
    rotation: float = 10.0
    """Largest rotation either way, in degrees."""
    scale: tuple[float, float] = (0.8, 1.2)
    """Smallest and largest magnification."""
    padding: int | None = None
    """Largest shift of small images, in pixels; None: an eighth of the side, 4 of 32."""

    def __post_init__(self) -> None:
        low, high = self.scale
        require(0 < low <= high, f"scale is {self.scale!r}; give (low, high) with 0 < low <= high")
        require(self.rotation >= 0, f"rotation is {self.rotation!r}; give 0 degrees or more")
        require(
            self.padding is None or self.padding >= 0,
            f"padding is {self.padding!r}; give 0 pixels or more",
        )

    def apply(self, batch: Batch, context: Context) -> Batch:
        """The batch with augmented inputs and the raw ones as companions."""
        copies = self.augmented(batch.inputs, context.generator)
        return replace(batch, inputs=copies, anchors=copies, companions=batch.inputs)

    def augmented(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """A random copy of each image."""
        require(
            images.dim() == 4 and images.dtype.is_floating_point,
            f"augmentation needs images of shape (channels, height, width), these examples have "
            f"shape {tuple(images.shape[1:])} and type {images.dtype}; leave it out",
        )
        maps = self._maps(len(images), images.shape[2], images.shape[3], generator)
        maps = maps.to(images.device, images.dtype)
        grid = affine_grid(maps, list(images.shape), align_corners=False)
        return grid_sample(images, grid, padding_mode="border", align_corners=False)

    def _maps(self, count: int, height: int, width: int, generator: torch.Generator) -> Tensor:
        """One affine map for each image, from output to input coordinates in [-1, 1]."""

        def uniform(low: float, high: float) -> Tensor:
            draw = torch.rand(count, generator=generator, dtype=torch.float64)
            return low + (high - low) * draw

        angle = uniform(-self.rotation, self.rotation) * (math.pi / 180)
        magnification = uniform(*self.scale)
        mirrored = uniform(0, 1) < 0.5
        mirror = torch.where(mirrored & self.flip, -1.0, 1.0)
        if min(height, width) >= RESIZED_CROP_FROM:
            area, aspect = uniform(0.08, 1), torch.exp(uniform(math.log(3 / 4), math.log(4 / 3)))
            window_x = (area * aspect).sqrt().clamp(max=1)
            window_y = (area / aspect).sqrt().clamp(max=1)
            shift_x, shift_y = uniform(-1, 1) * (1 - window_x), uniform(-1, 1) * (1 - window_y)
        else:
            window_x = window_y = torch.ones(count, dtype=torch.float64)
            padding = min(height, width) // 8 if self.padding is None else self.padding
            pixels = torch.randint(2 * padding + 1, (2, count), generator=generator) - padding
            shift_x, shift_y = 2 * pixels[0] / width, 2 * pixels[1] / height
        cosine, sine = torch.cos(angle) / magnification, torch.sin(angle) / magnification
        # coordinates run from -1 to 1 over sides of different lengths
        ratio = height / width
        rows = [
            torch.stack(
                [mirror * cosine * window_x, -mirror * sine * ratio * window_y, shift_x], 1
            ),
            torch.stack([sine / ratio * window_x, cosine * window_y, shift_y], 1),
        ]
        return torch.stack(rows, dim=1)

    def state_dict(self) -> State:
        """Nothing is kept."""
        return {}

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""

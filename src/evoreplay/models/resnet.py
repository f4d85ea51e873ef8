"""The reduced ResNet-18 of the continual-learning literature.

BasicBlocks 2-2-2-2 at widths 20, 40, 80, 160; the first convolution is 3x3 with stride 1 and there
is no max-pooling, so 32x32 images keep their detail; shortcuts that change shape are a 1x1
convolution with BatchNorm; average pooling over 4x4; one linear head over all classes.

Reference: He et al., "Deep Residual Learning for Image Recognition", 2016; the reduced form is that
of Lopez-Paz and Ranzato, "Gradient Episodic Memory", 2017.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, relu

from evoreplay.errors import require


class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.shortcut = nn.Sequential()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, after, 1, stride=stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x: Tensor) -> Tensor:
        """relu(F(x) + shortcut(x))."""
        out = self.bn2(self.conv2(relu(self.bn1(self.conv1(x)))))
        return relu(out + self.shortcut(x))


class ResNet18(nn.Module):
    """ResNet-18 of width 20 for images of `size` x `size` pixels."""

    def __init__(self, classes: int, *, size: int = 32, channels: int = 3, width: int = 20) -> None:
        super().__init__()
        require(size >= 25, f"images of {size} pixels are too small for ResNet18; use 25 or more")
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.layer1 = stage(width, width, stride=1)
        self.layer2 = stage(width, 2 * width, stride=2)
        self.layer3 = stage(2 * width, 4 * width, stride=2)
        self.layer4 = stage(4 * width, 8 * width, stride=2)
        # three stages halve the image, rounding up; the pooling quarters what is left
        side = -(-size // 8) // 4
        self.linear = nn.Linear(8 * width * side * side, classes)

    def features(self, x: Tensor) -> Tensor:
        """What the linear head sees."""
        x = relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return torch.flatten(avg_pool2d(x, 4), 1)

    def forward(self, x: Tensor) -> Tensor:
        """Batch of images to logits."""
        logits: Tensor = self.linear(self.features(x))
        return logits


def stage(before: int, after: int, *, stride: int) -> nn.Sequential:
    """Two blocks, the first of which may shrink the image."""
    return nn.Sequential(BasicBlock(before, after, stride), BasicBlock(after, after, 1))


def in_channels_last(model: nn.Module) -> nn.Module:
    """The model with its weights laid out channels last, in which convolutions are faster.

    Only the layout changes; activations take it over from the weights.
    """
    for parameter in model.parameters():
        if parameter.dim() == 4:
            parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
    return model

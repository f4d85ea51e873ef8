"""The networks of the paper; any other nn.Module works as well."""

from evoreplay.models.mlp import MLP
from evoreplay.models.resnet import ResNet18, in_channels_last

__all__ = ["MLP", "ResNet18", "in_channels_last"]

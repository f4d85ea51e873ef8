"""The networks of the paper; any other nn.Module works as well."""

from evoreplay.models.mlp import MLP
from evoreplay.models.resnet import ResNet18

__all__ = ["MLP", "ResNet18"]

"""The networks of the paper; any other nn.Module works as well."""

from evoreplay.models.mlp import MLP
from evoreplay.models.resnet import ResNet18, in_channels_last
from evoreplay.models.split import Split, split_at
from evoreplay.models.text_classifier import TextClassifier

__all__ = ["MLP", "ResNet18", "Split", "TextClassifier", "in_channels_last", "split_at"]

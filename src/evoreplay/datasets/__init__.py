"""Datasets by name."""

from evoreplay.datasets.dataset import Dataset
from evoreplay.datasets.digits import digits

__all__ = ["Dataset", "digits"]

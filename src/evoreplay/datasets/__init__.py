"""Datasets by name, from one's own files, and from Python objects."""

from evoreplay.datasets.dataset import Dataset
from evoreplay.datasets.digits import digits
from evoreplay.datasets.download import Progress
from evoreplay.datasets.examples import from_examples
from evoreplay.datasets.fetching import fetch
from evoreplay.datasets.overview import (
    CheckedDataset,
    CheckedFile,
    ListedDataset,
    check_dataset,
    known_datasets,
)
from evoreplay.datasets.registry import load_dataset

__all__ = [
    "CheckedDataset",
    "CheckedFile",
    "Dataset",
    "ListedDataset",
    "Progress",
    "check_dataset",
    "digits",
    "fetch",
    "from_examples",
    "known_datasets",
    "load_dataset",
]

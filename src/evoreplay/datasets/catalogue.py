"""The datasets known by name: what they hold when they are whole, and on what terms."""

from __future__ import annotations

from dataclasses import dataclass

from evoreplay.datasets.layout import Counts


@dataclass(frozen=True)
class KnownDataset:
    """Facts about a published dataset."""

    folder: str
    """The folder below a data folder that holds it."""
    classes: int
    train: int
    test: int
    natural: bool
    """Natural images, which may be flipped."""
    terms: str
    unit: str = "images"
    """What its examples are."""


KNOWN = {
    "cifar10": KnownDataset("cifar10", 10, 50_000, 10_000, True, "Krizhevsky 2009, cite to use"),
    "cifar100": KnownDataset("cifar100", 100, 50_000, 10_000, True, "Krizhevsky 2009, cite to use"),
    "mini-imagenet": KnownDataset(
        "mini_imagenet", 100, 48_000, 12_000, True, "ImageNet, non-commercial research only"
    ),
    "mnist": KnownDataset("mnist", 10, 60_000, 10_000, False, "CC BY-SA 3.0"),
    "fashion-mnist": KnownDataset("fashion_mnist", 10, 60_000, 10_000, False, "MIT"),
    "clinc150": KnownDataset("clinc150", 150, 18_000, 4_500, False, "CC BY 3.0", "texts"),
}
EMBEDDED = "digits"
EMBEDDED_TERMS = "CC BY 4.0 (UCI, by way of scikit-learn)"


def what_is_missing(known: KnownDataset, counts: Counts) -> str | None:
    """A sentence if this is a part of the dataset only, e.g. `400 of 10000 test images`."""
    if counts.test is None:
        whole = known.train + known.test
        return f"{counts.train} of {whole} {known.unit}" if counts.train < whole else None
    missing = [
        f"{there} of {whole} {part}"
        for there, whole, part in (
            (counts.train, known.train, "training"),
            (counts.test, known.test, "test"),
        )
        if there < whole
    ]
    return " and ".join(missing) + f" {known.unit}" if missing else None

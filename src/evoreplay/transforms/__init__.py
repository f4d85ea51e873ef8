"""What is done to replayed examples before they evolve."""

from evoreplay.transforms.augmentation import Augmentation
from evoreplay.transforms.editing import Editing

__all__ = ["Augmentation", "Editing"]

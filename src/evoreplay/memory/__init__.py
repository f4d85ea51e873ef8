"""What is kept of the stream."""

from evoreplay.memory.gradient_selection import GradientSelectionMemory
from evoreplay.memory.reservoir import ReservoirMemory

__all__ = ["GradientSelectionMemory", "ReservoirMemory"]

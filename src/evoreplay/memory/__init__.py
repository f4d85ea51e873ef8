"""What is kept of the stream."""

from evoreplay.memory.reservoir import ReservoirMemory

__all__ = ["ReservoirMemory"]

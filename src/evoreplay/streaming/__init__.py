"""Learners on a stream as it comes: tested before they learn."""

from evoreplay.streaming.prequential import PrequentialStep, prequential

__all__ = ["PrequentialStep", "prequential"]

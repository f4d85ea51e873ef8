"""What is replayed."""

from evoreplay.retrieval.uniform import UniformRetrieval

__all__ = ["UniformRetrieval"]

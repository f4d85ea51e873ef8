"""What is replayed."""

from evoreplay.retrieval.maximally_interfered import MaximallyInterferedRetrieval
from evoreplay.retrieval.uniform import UniformRetrieval

__all__ = ["MaximallyInterferedRetrieval", "UniformRetrieval"]

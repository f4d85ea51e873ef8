"""What is measured."""

from evoreplay.metrics.accuracy_matrix import final_accuracy, forgetting

__all__ = ["final_accuracy", "forgetting"]

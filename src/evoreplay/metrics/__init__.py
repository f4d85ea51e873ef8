"""What is measured."""

from evoreplay.metrics.accuracy_matrix import final_accuracy, forgetting
from evoreplay.metrics.memory_shift import median_bandwidth, squared_discrepancy

__all__ = ["final_accuracy", "forgetting", "median_bandwidth", "squared_discrepancy"]

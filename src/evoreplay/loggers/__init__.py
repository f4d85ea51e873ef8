"""Loggers: a run's events in TensorBoard, MLflow and Weights & Biases, each an extra."""

from evoreplay.loggers.observers import Observers, incomplete, observing
from evoreplay.loggers.table import LOGGERS, require_loggers

__all__ = ["LOGGERS", "Observers", "incomplete", "observing", "require_loggers"]

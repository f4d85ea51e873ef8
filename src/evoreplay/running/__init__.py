"""Runs: configs, methods by name, run directories."""

from evoreplay.running.config import Config
from evoreplay.running.run import Outcome, Progress, run

__all__ = ["Config", "Outcome", "Progress", "run"]

"""Learners: the only place that steps an optimiser."""

from evoreplay.learners.fine_tuning import FineTuningLearner
from evoreplay.learners.learner import Learner, Step
from evoreplay.learners.replay import ReplayLearner

__all__ = ["FineTuningLearner", "Learner", "ReplayLearner", "Step"]

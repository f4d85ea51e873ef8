"""Learners: the only place that steps an optimiser."""

from evoreplay.learners.averaged_gradient import AveragedGradientLearner
from evoreplay.learners.fine_tuning import FineTuningLearner
from evoreplay.learners.learner import Learner
from evoreplay.learners.replay import ReplayLearner
from evoreplay.learners.step import Step

__all__ = ["AveragedGradientLearner", "FineTuningLearner", "Learner", "ReplayLearner", "Step"]

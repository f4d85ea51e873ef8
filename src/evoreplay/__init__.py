"""Task-free continual learning with a replay memory that evolves."""

from evoreplay.errors import NonFiniteLossError, UserError
from evoreplay.evolution import Flow, GeneralFlow, Hamiltonian, Langevin, MemoryEnergy, Noise, Stein
from evoreplay.learners import FineTuningLearner, Learner, ReplayLearner, Step
from evoreplay.memory import ReservoirMemory
from evoreplay.models import MLP, ResNet18
from evoreplay.parts import Batch, Gathered
from evoreplay.retrieval import UniformRetrieval
from evoreplay.running import Config, run
from evoreplay.streams import ArrayStream, class_groups, class_split, from_iterable, iid

__all__ = [
    "MLP",
    "ArrayStream",
    "Batch",
    "Config",
    "FineTuningLearner",
    "Flow",
    "Gathered",
    "GeneralFlow",
    "Hamiltonian",
    "Langevin",
    "Learner",
    "MemoryEnergy",
    "Noise",
    "NonFiniteLossError",
    "ReplayLearner",
    "ResNet18",
    "ReservoirMemory",
    "Stein",
    "Step",
    "UniformRetrieval",
    "UserError",
    "class_groups",
    "class_split",
    "from_iterable",
    "iid",
    "run",
]

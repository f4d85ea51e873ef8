"""Task-free continual learning with a replay memory that evolves."""

from evoreplay import attacks
from evoreplay.errors import NonFiniteLossError, UserError
from evoreplay.evolution import Flow, GeneralFlow, Hamiltonian, Langevin, MemoryEnergy, Noise, Stein
from evoreplay.learners import (
    AveragedGradientLearner,
    FineTuningLearner,
    Learner,
    ReplayLearner,
    Step,
)
from evoreplay.memory import GradientSelectionMemory, ReservoirMemory
from evoreplay.models import MLP, ResNet18, Split, split_at
from evoreplay.parts import Batch, Gathered
from evoreplay.retrieval import MaximallyInterferedRetrieval, UniformRetrieval
from evoreplay.running import Config, run
from evoreplay.streams import (
    ArrayStream,
    blurry,
    class_groups,
    class_split,
    drift,
    from_iterable,
    iid,
    imbalanced,
)
from evoreplay.transforms import Augmentation, Editing

__all__ = [
    "MLP",
    "ArrayStream",
    "Augmentation",
    "AveragedGradientLearner",
    "Batch",
    "Config",
    "Editing",
    "FineTuningLearner",
    "Flow",
    "Gathered",
    "GeneralFlow",
    "GradientSelectionMemory",
    "Hamiltonian",
    "Langevin",
    "Learner",
    "MaximallyInterferedRetrieval",
    "MemoryEnergy",
    "Noise",
    "NonFiniteLossError",
    "ReplayLearner",
    "ResNet18",
    "ReservoirMemory",
    "Split",
    "Stein",
    "Step",
    "UniformRetrieval",
    "UserError",
    "attacks",
    "blurry",
    "class_groups",
    "class_split",
    "drift",
    "from_iterable",
    "iid",
    "imbalanced",
    "run",
    "split_at",
]

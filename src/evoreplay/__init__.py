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
from evoreplay.reports.memory_images import export_memory
from evoreplay.reports.prequential_figure import plot_prequential
from evoreplay.retrieval import MaximallyInterferedRetrieval, UniformRetrieval
from evoreplay.running import Config, run
from evoreplay.streaming import PrequentialStep, prequential
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
    "PrequentialStep",
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
    "export_memory",
    "from_iterable",
    "iid",
    "imbalanced",
    "plot_prequential",
    "prequential",
    "run",
    "split_at",
]

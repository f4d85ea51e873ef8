"""The loggers by name, and whether they are installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from types import MappingProxyType

from evoreplay.errors import require, unknown
from evoreplay.loggers.logger import OpenLogger
from evoreplay.loggers.mlflow import MlflowLogger
from evoreplay.loggers.tensorboard import TensorBoardLogger
from evoreplay.loggers.wandb import WandbLogger

LOGGERS: MappingProxyType[str, OpenLogger] = MappingProxyType(
    {"tensorboard": TensorBoardLogger, "mlflow": MlflowLogger, "wandb": WandbLogger}
)
"""Each name is that of its package and of its extra."""


def require_loggers(names: Iterable[str]) -> None:
    """Refuse a name that is unknown or whose package is not installed."""
    require(not isinstance(names, str), f"loggers is {names!r}; give a tuple of names")
    for name in names:
        if name not in LOGGERS:
            raise unknown("logger", name, LOGGERS)
        require(
            _is_installed(name),
            f"the logger {name} needs a package that is not installed; "
            f"get it with: pip install 'evoreplay[{name}]'",
        )


def _is_installed(package: str) -> bool:
    # a mere folder of that name, such as wandb leaves behind, has no origin
    spec = find_spec(package)
    return spec is not None and spec.origin is not None

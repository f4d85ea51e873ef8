"""TensorBoard: one event file, with the settings on its HPARAMS page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from evoreplay.loggers.logger import Settings

FLUSH_SECONDS = 10


class TensorBoardLogger:
    """Scalars in float32, as TensorBoard keeps them."""

    def __init__(self, folder: Path, title: str, settings: Settings) -> None:
        from tensorboard.plugins.hparams import summary_v2
        from torch.utils.tensorboard import SummaryWriter

        # purge: a TensorBoard that is watching forgets what it read before a run was continued
        writer = SummaryWriter(str(folder), purge_step=0, flush_secs=FLUSH_SECONDS)
        self._writer = cast(Any, writer)
        shown = {name: _shown(value) for name, value in settings.items()}
        self._writer.file_writer.add_summary(summary_v2.hparams_pb(shown, trial_id=title))

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step)

    def close(self, *, finished: bool) -> None:
        self._writer.close()


def _shown(value: Any) -> Any:
    """A setting as TensorBoard takes it: text, numbers and booleans only."""
    return value if isinstance(value, str | int | float) else json.dumps(value)

"""One try at one run, whoever asks for it: every outcome is a value, and a failure is written down.

The run directory decides: a finished run is not run again, an interrupted one goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch

from evoreplay.errors import NonFiniteLossError, UserError
from evoreplay.running.config import Config, run_name, with_settings
from evoreplay.running.found import failure_remembered
from evoreplay.running.interruption import Interrupted
from evoreplay.running.lock import RunningElsewhereError
from evoreplay.running.run import ProgressListener, run


class Attempt(NamedTuple):
    """How it ended."""

    status: Literal["done", "failed", "elsewhere", "stopped"]
    reason: str = ""
    accuracy: float | None = None


def attempt(
    fields: Mapping[str, Any],
    out: Path,
    *,
    data: Path | None = None,
    threads: int = 1,
    patience: float = 0.0,
    listener: ProgressListener = lambda progress: None,
) -> Attempt:
    """Run the resolved config with these fields; wait `patience` seconds for another owner."""
    torch.set_num_threads(threads)
    config = with_settings(Config(), fields)
    waited_until = time.monotonic() + patience
    while True:
        ended = _once(config, out, data, listener)
        if ended.status != "elsewhere" or time.monotonic() >= waited_until:
            return ended
        time.sleep(1.0)


def _once(config: Config, out: Path, data: Path | None, listener: ProgressListener) -> Attempt:
    try:
        with failure_remembered(out / run_name(config)):
            result = run(config, out=out, data=data, listener=listener).result
    except RunningElsewhereError as error:
        return Attempt("elsewhere", str(error))
    except (Interrupted, KeyboardInterrupt) as error:
        return Attempt("stopped", str(error))
    except (UserError, NonFiniteLossError) as error:
        return Attempt("failed", str(error))
    except Exception as error:  # one failing run must not stop the others
        return Attempt("failed", f"{type(error).__name__}: {error}")
    return Attempt("done", accuracy=result["final_accuracy"])

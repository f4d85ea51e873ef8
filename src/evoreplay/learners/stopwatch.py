"""Where the time of a step goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

Watch = Callable[[str], AbstractContextManager[None]]

SECTIONS = ("data", "stream", "retrieval", "evolution", "update", "memory")
"""Reading a batch; the stream's pass; choosing and transforming what is replayed; the raw pass of
the energy and the flow; the replay's pass and the optimiser; offering the batch to the memory."""


def no_watch(section: str) -> AbstractContextManager[None]:  # noqa: ARG001
    """Measures nothing."""
    return nullcontext()


class Stopwatch:
    """Seconds of CPU time by section."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, section: str) -> Iterator[None]:
        """Count what happens inside as `section`."""
        began = time.process_time()
        try:
            yield
        finally:
            self.seconds[section] += time.process_time() - began

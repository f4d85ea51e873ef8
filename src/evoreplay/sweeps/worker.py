"""A process that does one run after the other: `python -m evoreplay.sweeps.worker`.

It is given a line of JSON for each run and answers with lines of JSON: progress, then how the run
ended. When its input ends, because the work is done or because whoever started it died, it saves
what it is at and leaves.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from evoreplay.running.run import Progress
from evoreplay.sweeps.attempt import attempt

PROGRESS_SECONDS = 0.25


class Inbox:
    """Lines of the standard input, read in the background so that its end is noticed at once."""

    def __init__(self) -> None:
        self.busy = False
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> str | None:
        """The next line; None at the end."""
        return self._lines.get()

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put(None)
        if self.busy:
            # as if somebody had pressed Ctrl-C: the run saves its state and stops
            os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Work until the input ends."""
    warnings.formatwarning = lambda message, *_, **__: f"evoreplay: warning: {message}\n"
    inbox, answers = Inbox(), sys.stdout
    # whatever a library prints must not be taken for an answer
    sys.stdout = sys.stderr
    said = 0.0

    def say(**words: Any) -> None:
        print(json.dumps(words), file=answers, flush=True)

    def listener(progress: Progress) -> None:
        nonlocal said
        if time.monotonic() - said >= PROGRESS_SECONDS:
            said = time.monotonic()
            say(
                position=progress.position,
                length=progress.length,
                accuracy=progress.accuracy,
            )

    while (line := inbox.next()) is not None:
        job = json.loads(line)
        inbox.busy = True
        data = None if job["data"] is None else Path(job["data"])
        ended = attempt(
            job["config"], Path(job["out"]), data=data, threads=job["threads"], listener=listener
        )
        inbox.busy = False
        say(**ended._asdict())
        if ended.status == "stopped":
            break


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # nobody listens any more
        os._exit(1)

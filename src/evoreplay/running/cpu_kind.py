"""Which kind of CPU this is: two kinds round sums differently, and are two clocks.

Vector instructions alone do not tell: of two machines with AVX-512, one took twice the time of the
other for the same steps.
"""

from __future__ import annotations

import platform
from pathlib import Path

import torch

CPUINFO = Path("/proc/cpuinfo")
"""Where Linux tells."""
IDENTITY = ("vendor_id", "cpu family", "model", "stepping")
NAME = "model name"


def cpu_kind() -> str:
    """The vector instructions that torch uses and, as far as the system tells, the processor."""
    return f"{torch.backends.cpu.get_cpu_capability()} {_processor()}".strip()


def _processor() -> str:
    try:
        told = CPUINFO.read_text(errors="replace")
    except OSError:
        told = ""
    # the first of the processors, which are all alike
    lines = (line.partition(":") for line in told.partition("\n\n")[0].splitlines())
    fields = {key.strip(): value.strip() for key, _, value in lines}
    identity = "-".join(fields[key] for key in IDENTITY if key in fields)
    if NAME in fields:
        return f"{fields[NAME]} {identity}".strip()
    return identity or platform.processor() or platform.machine()

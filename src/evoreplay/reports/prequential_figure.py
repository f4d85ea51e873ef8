"""The accuracy of a learner along its stream, as a picture."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from evoreplay.errors import UserError, require
from evoreplay.reports.figures.colours import INK, SERIES
from evoreplay.reports.theme import LIGHT
from evoreplay.storage import write_file
from evoreplay.streaming import PrequentialStep

FORMATS = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}
"""What must not be in a file, so that the same steps give the same bytes."""


def plot_prequential(
    steps: Iterable[PrequentialStep], path: str | Path, *, title: str = "Test, then train"
) -> Path:
    """Draw window and overall accuracy over the examples seen into a PNG or SVG file."""
    steps, path = list(steps), Path(path)
    require(len(steps) > 0, "there is no step to draw; give a list of what prequential() yields")
    require(
        path.suffix.lower() in FORMATS,
        f"{path.name} has the suffix {path.suffix!r}; give a file name that ends in .png or .svg",
    )
    picture = _picture(steps, title, path.suffix.lower())
    try:
        write_file(path, picture)
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror or error}; give another file"
        ) from error
    return path


def _picture(steps: list[PrequentialStep], title: str, suffix: str) -> bytes:
    # imported here, because most programs draw nothing
    import matplotlib
    from matplotlib.figure import Figure

    # names inside an SVG are random unless they are salted
    with matplotlib.rc_context({"svg.hashsalt": "evoreplay"}):
        figure = Figure(figsize=(9, 4), layout="constrained")
        axes = figure.add_subplot()
        examples = [step.examples for step in steps]
        marker = "o" if len(steps) == 1 else None
        overall = [step.overall_accuracy for step in steps]
        axes.plot(
            examples, overall, color=LIGHT["soft"], linestyle="--", marker=marker, label="overall"
        )
        recent = [step.window_accuracy for step in steps]
        axes.plot(examples, recent, color=SERIES[1], marker=marker, label="window")
        axes.set(xlabel="examples seen", ylabel="accuracy", ylim=(0, 1))
        axes.set_title(title, color=INK)
        axes.grid(color=LIGHT["rule"], linewidth=0.6)
        axes.legend(loc="lower right", frameon=False)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix[1:], dpi=120, metadata=FORMATS[suffix])
    return buffer.getvalue()

"""A stream as a picture: the share of each class over time."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np

from evoreplay.streams import ArrayStream

WINDOWS = 200
NAMED_CLASSES = 20


def class_shares(stream: ArrayStream, classes: int, windows: int = WINDOWS) -> np.ndarray:
    """The share of each class in equal windows of the stream: (windows, classes)."""
    labels = stream.y[stream.order].numpy()
    windows = min(windows, len(stream))
    edges = np.linspace(0, len(labels), windows + 1).round().astype(int)
    counts = [np.bincount(labels[begin:end], minlength=classes) for begin, end in pairwise(edges)]
    shares: np.ndarray = np.stack(counts) / np.diff(edges)[:, None]
    return shares


def stream_png(stream: ArrayStream, classes: int, title: str) -> bytes:
    """A stacked picture of class shares; dashed lines are the moments of measurement."""
    # imported here, because most commands draw nothing
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shares = class_shares(stream, classes)
    figure = Figure(figsize=(9, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    batches = np.linspace(0, len(stream), len(shares))
    palette = "tab20" if classes <= NAMED_CLASSES else "turbo"
    colours = matplotlib.colormaps[palette](np.linspace(0, 1, max(classes, 2))[:classes])
    labels = [f"class {c}" for c in range(classes)] if classes <= NAMED_CLASSES else ()
    axes.stackplot(batches, shares.T, colors=colours, labels=labels, linewidth=0)
    for end in stream.segment_ends[:-1]:
        axes.axvline(end, color="black", linestyle="--", linewidth=0.7)
    axes.set(
        title=title, xlabel="batch", ylabel="share of class", xlim=(0, len(stream)), ylim=(0, 1)
    )
    if labels:
        figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    buffer = io.BytesIO()
    # no date, no version in the file: the same stream gives the same bytes
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    return buffer.getvalue()

"""What the memory holds over time: one layer for each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from evoreplay.reports.figures.axes import Frame, axis_room, picture
from evoreplay.reports.figures.classes import OWN_COLOURS, class_colour
from evoreplay.reports.html import Html, element

Balance = dict[int, list[float]]


def mean_balance(balances: Sequence[Mapping[int, list[int]]]) -> Balance:
    """Mean counts by batch, over the seeds and at the batches that all of them have."""
    if not balances or not all(balances):
        return {}
    common = sorted(set.intersection(*(set(balance) for balance in balances)))
    lengths = {len(counts) for balance in balances for counts in balance.values()}
    if len(lengths) != 1:
        return {}
    return {
        batch: [fmean(counts) for counts in zip(*(b[batch] for b in balances), strict=True)]
        for batch in common
    }


def balance_chart(balance: Balance, description: str) -> Html:
    """Layers from the first class, at the bottom, to the last."""
    batches = list(balance)
    classes = len(balance[batches[0]])
    largest = max(sum(counts) for counts in balance.values())
    frame = Frame(
        width=330,
        height=220,
        x_range=(min(0, batches[0]), batches[-1]),
        y_range=(0, largest or 1),
        left=axis_room(largest),
        right=8,
    )
    lower = [0.0] * len(batches)
    # edges would be all that is left of very thin layers
    kind = "layer edged" if classes <= OWN_COLOURS else "layer"
    layers = []
    for label in range(classes):
        upper = [below + balance[batch][label] for below, batch in zip(lower, batches, strict=True)]
        if upper != lower:
            points = f"{frame.points(batches, upper)} {frame.points(batches[::-1], lower[::-1])}"
            colour = f"fill:{class_colour(label, classes)}"
            layers.append(element("polygon", class_=kind, points=points, style=colour))
        lower = upper
    axes = frame.axes("batch of the stream", "examples in memory")
    return picture(frame, description, axes, *layers)

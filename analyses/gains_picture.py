"""What does each flow add to its method, and what of it is more than noise? One picture.

On the left the difference of a flow to the same method without it, after the last batch and paired
by seed, with its 95 % interval and, hollow, the gain that the paper reports; on the right the
difference to as much noise (or as long a way) without a gradient, where such runs are there. Only
what is right of 0 on both sides, interval and all, is evolution that helped.

    python analyses/gains_picture.py docs/results/cifar10.json docs/results/cifar10_gains.png
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

from evoreplay.reports.claims import FLOWS, without_flow
from evoreplay.reports.comparisons import NOISE_OF, compare, controls_of
from evoreplay.reports.packed_results import unpacked
from evoreplay.reports.paper_numbers import paper_accuracy
from evoreplay.reports.report import make_report
from evoreplay.reports.statistics import Summary

DARK, GREY = "#1f2328", "#8c9096"
SHOWN, HIDDEN = {True: "#0969da", False: "#cf222e"}, "white"


class Gain(NamedTuple):
    """A flow on a method, in points of accuracy."""

    label: str
    to_method: Summary
    to_noise: Summary | None
    paper: float | None
    """What the paper says it gains."""
    instead: str
    """Of noise, where there is no difference to it."""


def gains(results):
    """Of every flow whose method was measured on two of its seeds, too."""
    with tempfile.TemporaryDirectory() as folder:
        unpacked(results, Path(folder))
        (part,) = make_report(Path(folder)).sections
    found = []
    for group in (one for one in part.section.groups if one.flow in FLOWS):
        without = without_flow(group, part.section)
        noise = controls_of(group, part.section.groups).noise
        difference = None if without is None else compare(group, without).difference
        if difference is not None:
            found.append(
                Gain(
                    group.label if group.named else f"{group.label}, the default",
                    difference,
                    None if noise is None else compare(group, noise).difference,
                    papers_gain(group, without),
                    "not measured" if group.flow in NOISE_OF else "has no noise",
                )
            )
    return found


def papers_gain(group, without):
    """The difference of its means, None if it has not both."""
    ours, theirs = paper_accuracy(group), paper_accuracy(without)
    return None if ours is None or theirs is None else ours.mean - theirs.mean


def drawn(axis, place, found):
    """A dot with its interval; hollow and grey if 0 is inside."""
    colour = SHOWN[found.mean > 0] if found.excludes_zero else GREY
    axis.plot([found.low, found.high], [place, place], color=colour, linewidth=2)
    face = colour if found.excludes_zero else HIDDEN
    axis.plot(found.mean, place, "o", color=colour, markerfacecolor=face, markersize=7)


def picture(found, widest=32.0):
    """Both sides, a line for each flow; an interval that is wider than the picture leaves it."""
    figure = Figure(figsize=(9, 1.2 + 0.42 * len(found)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for place, gain in enumerate(reversed(found)):
        drawn(left, place, gain.to_method)
        if gain.to_noise is not None:
            drawn(right, place, gain.to_noise)
        else:
            right.text(0.6, place, gain.instead, color=GREY, fontsize=8, va="center")
        if gain.paper is not None:
            left.plot(gain.paper, place, "D", color=DARK, markerfacecolor=HIDDEN, markersize=6)
    left.plot([], [], "D", color=DARK, markerfacecolor=HIDDEN, label="the paper's gain")
    left.legend(loc="upper left", fontsize=8, frameon=False)
    labels = [f"{gain.label}  (n = {gain.to_method.n})" for gain in reversed(found)]
    left.set_yticks(range(len(found)), labels)
    for axis, title in (
        (left, "to the method without the flow"),
        (right, "to its noise without a gradient"),
    ):
        axis.set_title(title, fontsize=10, color=DARK)
        axis.set_xlim(-widest, widest)
        axis.set_xlabel("points of accuracy, 95 % paired interval")
        axis.axvline(0, color=DARK, linewidth=1)
        axis.grid(axis="x", alpha=0.3)
        axis.tick_params(left=False)
        axis.spines[["top", "right", "left"]].set_visible(False)
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="results of many runs in one file")
    parser.add_argument("picture", type=Path, help="where it goes, .png or .svg")
    options = parser.parse_args()
    picture(gains(options.results)).savefig(options.picture, dpi=150)

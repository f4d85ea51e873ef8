"""Pictures of the memory itself, from one seed of each row, at three moments."""

from __future__ import annotations

from dataclasses import dataclass

from evoreplay.reports.figures.classes import class_legend
from evoreplay.reports.figures.memory_map import memory_map
from evoreplay.reports.figures.png import data_uri
from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.section_figures import block, figure, left_out_note
from evoreplay.reports.snapshots import Evolved, Memories

SHOWN_EXAMPLES = 8
IMAGE_BYTES = 4_000_000
"""Of embedded images on a page: noise does not compress."""


@dataclass
class Budget:
    """How many more bytes of images a page may have."""

    left: int = IMAGE_BYTES

    def allows(self, content: Html) -> bool:
        """Whether this still fits; if so it is counted."""
        if len(content) > self.left:
            return False
        self.left -= len(content)
        return True


def memory_figures(memories: Memories, budget: Budget) -> list[Html]:
    """Evolved examples and maps of the memory, where there are snapshots of them."""
    parts = (_examples(memories, budget), _maps(memories))
    return [part for part in parts if part is not None]


def _examples(memories: Memories, budget: Budget) -> Html | None:
    figures = []
    for shown in memories.evolving:
        strips = [
            element("div", element("h4", f"after batch {moment.batch}"), _strip(moment.evolved))
            for moment in shown.moments
            if moment.evolved is not None
        ]
        content = element("div", *strips, class_="moments")
        if budget.allows(content):
            caption = f"{shown.group.label}, seed {shown.run.seed}"
            figures.append(figure(content, caption, kind="wide"))
    if not figures:
        return None
    note = (
        "Memory examples as they are (above) and as they are replayed (below), with their loss "
        "before and after evolution; values beyond the range of the images are cut. Where features "
        "move, too, the loss is that after both and the picture has the step of the input alone. "
        "One seed of each row with a flow." + left_out_note(len(figures), memories.evolving_there)
    )
    return block("Raw and evolved examples", note, joined(*figures))


def _strip(evolved: Evolved) -> Html:
    pairs = []
    for n, label in enumerate(evolved.labels[:SHOWN_EXAMPLES]):
        before, after = evolved.loss_before[n], evolved.loss_after[n]
        images = [
            element(
                "img",
                src=data_uri(pixels[n], evolved.low, evolved.high),
                alt=f"class {label}, {name}",
            )
            for name, pixels in (("raw", evolved.raw), ("evolved", evolved.evolved))
        ]
        losses = [element("span", f"{before:.2f}"), element("span", f"→ {after:.2f}")]
        pairs.append(element("div", *images, element("small", *losses), class_="pair"))
    return element("div", *pairs, class_="strip")


def _maps(memories: Memories) -> Html | None:
    found = [
        (shown, moment, moment.map)
        for shown in memories.mapped
        for moment in shown.moments
        if moment.map is not None
    ]
    if not found:
        return None
    classes = 1 + max(max(memory.labels) for _, _, memory in found)
    figures = []
    for shown in memories.mapped:
        label = shown.group.label
        maps = [
            figure(
                memory_map(
                    memory.points,
                    memory.labels,
                    classes,
                    f"Map of the memory of {label} after batch {moment.batch}",
                ),
                f"after batch {moment.batch}",
            )
            for owner, moment, memory in found
            if owner is shown
        ]
        row = element("div", *maps, class_="maps")
        figures.append(figure(row, f"{label}, seed {shown.run.seed}", kind="wide"))
    note = (
        "Each dot is an example in memory, placed by t-SNE of the features that the last layer is "
        "given: near dots look alike to the network. Axes of such a map have no unit. One seed of "
        "each row." + left_out_note(len(figures), memories.mapped_there)
    )
    content = joined(class_legend(classes), element("div", *figures, class_="two"))
    return block("The memory as the network sees it", note, content)

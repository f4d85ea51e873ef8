"""The paper's claims, one line each: what these runs say of them.

A claim is that some difference d lies on one side of 0, or a ratio between two bounds. With the
95 % interval of d over the seeds, paired:

    holds            all of the interval is on the claimed side,
    does not hold    all of it is on the other side,
    cannot tell      0 is inside, or there are too few seeds.

Only rows with the paper's settings are judged. That a flow is above the method it is added to is
the paper's claim. Whether it is the evolution that does it is another question, which the controls
answer: they stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evoreplay.reports.along_table import mean_along_stream
from evoreplay.reports.attack_comparisons import attack_measures
from evoreplay.reports.comparisons import (
    CONDITIONS,
    EVOLUTION,
    OVERRULING,
    compare,
    controls_of,
    nearest,
)
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.paper_numbers import COLUMNS, has_papers_recipe, paper_accuracy
from evoreplay.reports.rows import Row
from evoreplay.reports.statistics import Summary
from evoreplay.reports.tables import (
    EMPTY,
    NOT_MEASURED,
    Cell,
    Column,
    Table,
    Tone,
    compared_cell,
    comparison_cell,
    decimal,
    interval_text,
)

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot tell"
UNKNOWN = NOT_MEASURED.text
TONES: dict[str, Tone] = {HOLDS: "higher", FAILS: "lower", OPEN: "none", UNKNOWN: "none"}
BASES = ("er", "mir", "gmed", "er-aug")
FLOWS = ("ld", "svgd", "hmc")
BASE_SETTINGS = (*OVERRULING, "candidates", "stride", "reg", "decay", "edit_sign")
"""What a method and the same with a flow have in common besides."""
FLOW_SETTINGS = (
    *(*EVOLUTION, *BASE_SETTINGS, "temperature"),
    *("alignment", "dot_product", "proximity", "friction"),
)
CLAIMED_COST = (2.5, 4.5)
"""3 to 4 times, as rounded numbers; the paper prints 3.4 to 4.1."""
TOLD_ATTACKS = ("PGD at 4/255", "C&W quick", "C&W full")
"""The other strengths are in the table of attacks."""
NOTES = (
    "Rows with the paper's settings (recipe=paper) only. Holds: the whole 95 % interval is on the "
    "side that the paper says; does not hold: all of it is on the other; cannot tell: it contains "
    "0, or there are fewer than two seeds. Each interval stands for itself, so of many some "
    "exclude 0 by chance. The verdict is on the claim as the paper makes it; the controls stand "
    "beside it and say whether it is the evolution. Percentage points unless said otherwise, "
    "paired by seed.",
    "Along the stream: the difference of the mean accuracy along the stream, another measure than "
    "that of the evidence. Times are of runs that may have shared their machine.",
    "Paper: the difference of its means, in brackets where the data are not the same. Outside: "
    "the interval here does not contain it.",
)


class Claim(NamedTuple):
    """One line."""

    text: str
    verdict: str
    evidence: Cell = EMPTY
    noise: Cell = EMPTY
    """The same against the control of equal noise."""
    twice: Cell = EMPTY
    """And against that of equal weight."""
    along: Cell = EMPTY
    """The difference of the mean accuracy along the stream."""
    paper: str = ""


def claims_table(section: Section, rows: Sequence[Row]) -> Table | None:
    """None for data that the paper has no table of, and without any row with a flow."""
    if section.dataset not in COLUMNS or not any(row.group.flow in FLOWS for row in rows):
        return None
    own = [row for row in rows if row.group.flow in FLOWS and row.paper is not None]
    controls = [row for row in rows if row.group.flow == "noise" and has_papers_recipe(row.group)]
    found = {
        **{f"evolution improves {base}": _more_accurate(section, own, base) for base in BASES},
        "SVGD is better than LD": _stein_over_langevin(section, own),
        "evolved memory is nearer to all past data than raw": _nearer_to_the_past(own, controls),
        "writing back is worse than not writing back": _written_back_is_worse(section),
        "a step takes 3 to 4 times that of er": _cost(own),
        "evolution makes a network more robust": _more_robust(section, own),
    }
    claims = [
        claim
        for text, answers in found.items()
        for claim in (list(answers) or [Claim(text, UNKNOWN)])
    ]
    return Table(
        "claims",
        f"The paper's claims: {section.title}",
        [
            Column("claim", numeric=False),
            Column("here", numeric=False),
            Column("evidence, 95 % paired interval"),
            Column("against equal noise"),
            Column("against equal weight (er-x2)"),
            Column("along the stream"),
            Column("paper"),
        ],
        [_cells(claim) for claim in claims],
        list(NOTES),
    )


def side(found: Summary | None, *, above: bool = True) -> str:
    """The verdict on the claim that the difference is above 0, or below it."""
    if found is None or not found.excludes_zero:
        return OPEN
    return HOLDS if (found.mean > 0) == above else FAILS


def between(found: Summary, bounds: tuple[float, float]) -> str:
    """The verdict on the claim that a ratio is between the bounds: where the interval is."""
    if found.low is None or found.high is None:
        return OPEN
    if bounds[0] <= found.low and found.high <= bounds[1]:
        return HOLDS
    return FAILS if found.high < bounds[0] or found.low > bounds[1] else OPEN


def without_flow(group: Group, section: Section) -> Group | None:
    """The row of the method to which this one adds a flow."""
    return _alike(group, section, group.base, BASE_SETTINGS)


def _more_accurate(section: Section, own: Sequence[Row], base: str) -> Iterator[Claim]:
    measured = set()
    for group in (row.group for row in own if row.group.base == base):
        without = without_flow(group, section)
        if without is not None:
            measured.add(group.flow)
            noise, twice = controls_of(group, section.groups)
            yield _above(group, without)._replace(
                noise=compared_cell(group, noise), twice=compared_cell(group, twice)
            )
    for flow in FLOWS if measured else ():
        if flow not in measured:
            yield Claim(f"{base}+{flow} is more accurate than {base}", UNKNOWN)


def _stein_over_langevin(section: Section, own: Sequence[Row]) -> Iterator[Claim]:
    for group in (row.group for row in own if row.group.flow == "svgd"):
        other = _alike(group, section, f"{group.base}+ld", FLOW_SETTINGS)
        if other is not None:
            yield _above(group, other)


def _above(group: Group, other: Group) -> Claim:
    compared = compare(group, other)
    return Claim(
        f"{group.label} is more accurate than {other.label}",
        side(compared.difference),
        comparison_cell(compared),
        along=compared_cell(group, other, mean_along_stream),
        paper=_paper_gain(group, other, compared.difference),
    )


def _nearer_to_the_past(own: Sequence[Row], controls: Sequence[Row]) -> Iterator[Claim]:
    """Of the controls, too: noise alone may do it."""
    for row in (*own, *controls):
        if row.memory.evolved_distance is None:
            continue
        farther = row.memory.farther
        control = " (control)" if row in controls else ""
        text = f"{row.group.label}{control}: evolved memory is nearer to all past data than raw"
        evidence = Cell(EMPTY.text, row.memory.farther_words or "")
        if farther is not None:
            numbers = decimal(farther.mean, 4, sign=True)
            numbers += f" {interval_text(farther, 4, sign=True)}"
            words = f"squared discrepancy, evolved minus raw (n = {farther.n})"
            evidence = Cell(numbers, words, farther.mean)
        yield Claim(text, side(farther, above=False), evidence)


def _written_back_is_worse(section: Section) -> Iterator[Claim]:
    """By the paper's recipe, whatever else is set: the paper has no table of it."""
    settings = tuple(field for field in FLOW_SETTINGS if field != "write_back")
    for group in section.groups:
        written_back = group.flow in FLOWS and group.config["write_back"]
        if not (written_back and has_papers_recipe(group)):
            continue
        other = _alike(group, section, group.method, settings, write_back=False)
        if other is not None:
            compared = compare(group, other)
            yield Claim(
                f"{group.label}: writing back is worse than not writing back",
                side(compared.difference, above=False),
                comparison_cell(compared),
                along=compared_cell(group, other, mean_along_stream),
            )


def _cost(own: Sequence[Row]) -> Iterator[Claim]:
    for row in own:
        if row.cost is not None and row.paper_cost is not None:
            yield Claim(
                f"a step of {row.group.label} takes 3 to 4 times that of er",
                between(row.cost, CLAIMED_COST),
                Cell(f"{decimal(row.cost.mean, 2)} {interval_text(row.cost, 2)}", "times er"),
                paper=decimal(row.paper_cost.mean, 1),
            )


def _more_robust(section: Section, own: Sequence[Row]) -> Iterator[Claim]:
    for group in (row.group for row in own):
        without = without_flow(group, section)
        noise, twice = controls_of(group, section.groups)
        for name, measure in attack_measures(section, group):
            if name not in TOLD_ATTACKS or without is None or not without.by_seed(measure):
                continue
            compared = compare(group, without, measure)
            yield Claim(
                f"{group.label} keeps more accuracy than {without.label} under {name}",
                side(compared.difference),
                comparison_cell(compared),
                compared_cell(group, noise, measure),
                compared_cell(group, twice, measure),
            )


def _alike(
    group: Group, section: Section, method: str, fields: Sequence[str], **values: object
) -> Group | None:
    """The row of a method that is otherwise as this one; of several, the one most like it."""

    def suits(other: Group) -> bool:
        asked = all(other.config[name] == value for name, value in values.items())
        return other.method == method and group.same(other, (*CONDITIONS, *fields)) and asked

    return nearest(group, section.groups, suits)


def _paper_gain(group: Group, other: Group, here: Summary | None) -> str:
    ours, theirs = paper_accuracy(group), paper_accuracy(other)
    if ours is None or theirs is None:
        return ""
    gain = ours.mean - theirs.mean
    text = decimal(gain, 1, sign=True)
    if not ours.full:
        return f"({text})"
    if here is None or here.low is None or here.high is None or here.low <= gain <= here.high:
        return text
    return f"{text}, outside"


def _cells(claim: Claim) -> list[Cell]:
    return [
        Cell(claim.text),
        Cell(claim.verdict, tone=TONES[claim.verdict]),
        claim.evidence,
        claim.noise,
        claim.twice,
        claim.along,
        Cell(claim.paper) if claim.paper else EMPTY,
    ]

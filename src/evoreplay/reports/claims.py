"""The paper's claims, one line each: what these runs say of them.

A claim is that some difference d lies on one side of 0, or a ratio between two bounds. With the
95 % interval of d over the seeds, paired:

    holds            all of the interval is on the claimed side,
    does not hold    all of it is on the other side,
    cannot tell      0 is inside, or there are too few seeds.

That a flow is above the method it is added to is the paper's claim. Whether it is the evolution
that does it is another question, which the controls answer: they stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evoreplay.reports.along_table import compared_along
from evoreplay.reports.attack_comparisons import attack_measures
from evoreplay.reports.comparisons import (
    CONDITIONS,
    EVOLUTION,
    Measure,
    compare,
    controls_of,
    final_accuracy,
    reference_of,
)
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.paper_numbers import COLUMNS, paper_accuracy
from evoreplay.reports.rows import Row
from evoreplay.reports.statistics import Summary
from evoreplay.reports.tables import (
    EMPTY,
    NOT_MEASURED,
    Cell,
    Column,
    Table,
    Tone,
    comparison_cell,
    decimal,
    interval_text,
)

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot tell"
UNKNOWN = NOT_MEASURED.text
TONES: dict[str, Tone] = {HOLDS: "higher", FAILS: "lower", OPEN: "none", UNKNOWN: "none"}
BASES = ("er", "mir", "gmed", "er-aug")
FLOWS = ("ld", "svgd", "hmc")
CLAIMED_COST = (3.0, 4.0)
TOLD_ATTACKS = ("PGD at 4/255", "C&W quick", "C&W full")
"""The other strengths are in the table of attacks."""
NOTES = (
    "Holds: the whole 95 % interval is on the side that the paper says; does not hold: all of it "
    "is on the other; cannot tell: it contains 0, or there are fewer than two seeds. The verdict "
    "is on the claim as the paper makes it; the controls stand beside it and say whether it is "
    "the evolution. Percentage points unless said otherwise, paired by seed.",
    "Along the stream: the evidence once more, of the mean accuracy along the stream instead of "
    "that after the last batch; it varies less.",
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
    """The same difference of the mean accuracy along the stream."""
    paper: str = ""


def claims_table(section: Section, rows: Sequence[Row]) -> Table | None:
    """None for data that the paper has no table of, and without any row with a flow."""
    flows = [row for row in rows if flow_of(row.group) in FLOWS]
    if section.dataset not in COLUMNS or not flows:
        return None
    found = {
        **{f"evolution improves {base}": _more_accurate(section, flows, base) for base in BASES},
        "SVGD is better than LD": _stein_over_langevin(section, flows),
        "evolved memory is nearer to all past data than raw": _nearer_to_the_past(rows),
        "writing back is worse than not writing back": _written_back_is_worse(section, flows),
        "a step takes 3 to 4 times that of er": _cost(flows),
        "evolution makes a network more robust": _more_robust(section, flows),
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
            Column("the same along the stream"),
            Column("paper"),
        ],
        [_cells(claim) for claim in claims],
        [*section.letters, *NOTES],
    )


def verdict(found: Summary | None, *, above: bool = True) -> str:
    """On the claim that the difference is above 0, or below it."""
    if found is None or not found.excludes_zero:
        return OPEN
    return HOLDS if (found.mean > 0) == above else FAILS


def cost_verdict(found: Summary, bounds: tuple[float, float] = CLAIMED_COST) -> str:
    """On the claim that a ratio is between the bounds: where the whole interval is."""
    if found.low is None or found.high is None:
        return OPEN
    if bounds[0] <= found.low and found.high <= bounds[1]:
        return HOLDS
    return FAILS if found.high < bounds[0] or found.low > bounds[1] else OPEN


def flow_of(group: Group) -> str:
    """The part of the name after the plus."""
    return group.method.partition("+")[2]


def _more_accurate(section: Section, flows: Sequence[Row], base: str) -> Iterator[Claim]:
    known = [row.group for row in flows if row.group.method.partition("+")[0] == base]
    claims = [claim for group in known if (claim := _improvement(group, section, base)) is not None]
    yield from claims
    measured = {flow_of(group) for group in known}
    for flow in FLOWS if claims else ():
        if flow not in measured:
            yield Claim(f"{base}+{flow} is more accurate than {base}", UNKNOWN)


def _improvement(group: Group, section: Section, base: str) -> Claim | None:
    without = _same(group, section, base, CONDITIONS)
    if without is None:
        return None
    noise, twice = controls_of(group, section.groups)
    claim = _above(group, without)
    return claim._replace(noise=_against(group, noise), twice=_against(group, twice))


def _stein_over_langevin(section: Section, flows: Sequence[Row]) -> Iterator[Claim]:
    for group in (row.group for row in flows if flow_of(row.group) == "svgd"):
        base = group.method.partition("+")[0]
        other = _same(group, section, f"{base}+ld", (*CONDITIONS, *EVOLUTION))
        if other is not None:
            yield _above(group, other)


def _above(group: Group, other: Group) -> Claim:
    compared = compare(group, other)
    return Claim(
        f"{group.label} is more accurate than {other.label}",
        verdict(compared.difference),
        comparison_cell(compared),
        along=compared_along(group, other),
        paper=_paper_gain(group, other, compared.difference),
    )


def _nearer_to_the_past(rows: Sequence[Row]) -> Iterator[Claim]:
    """Of the controls, too: noise alone may do it."""
    for row in rows:
        farther = row.memory.farther
        if farther is None:
            continue
        numbers = f"{decimal(farther.mean, 4, sign=True)} {interval_text(farther, 4, sign=True)}"
        control = " (control)" if flow_of(row.group) == "noise" else ""
        yield Claim(
            f"{row.group.label}{control}: evolved memory is nearer to all past data than raw",
            verdict(farther, above=False),
            Cell(numbers, f"squared discrepancy, evolved minus raw (n = {farther.n})"),
        )


def _written_back_is_worse(section: Section, flows: Sequence[Row]) -> Iterator[Claim]:
    fields = tuple(field for field in EVOLUTION if field != "write_back")
    for group in (row.group for row in flows if row.group.config["write_back"]):
        kept = [
            other
            for other in section.groups
            if other.method == group.method
            and not other.config["write_back"]
            and group.same(other, (*CONDITIONS, *fields, "alignment"))
        ]
        for other in kept[:1]:
            compared = compare(group, other)
            yield Claim(
                f"{group.label}: writing back is worse than not writing back",
                verdict(compared.difference, above=False),
                comparison_cell(compared),
            )


def _cost(flows: Sequence[Row]) -> Iterator[Claim]:
    low, high = CLAIMED_COST
    for row in flows:
        if row.cost is not None:
            paper = row.paper_cost
            yield Claim(
                f"a step of {row.group.label} takes {low:g} to {high:g} times that of er",
                cost_verdict(row.cost),
                Cell(f"{decimal(row.cost.mean, 2)} {interval_text(row.cost, 2)}", "times er"),
                paper="" if paper is None else decimal(paper.mean, 1),
            )


def _more_robust(section: Section, flows: Sequence[Row]) -> Iterator[Claim]:
    for group in (row.group for row in flows):
        reference = reference_of(group, section.groups)
        noise, twice = controls_of(group, section.groups)
        for name, measure in attack_measures(section, group):
            if name not in TOLD_ATTACKS or reference is None:
                continue
            if reference.by_seed(measure):
                compared = compare(group, reference, measure)
                yield Claim(
                    f"{group.label} keeps more accuracy than er under {name}",
                    verdict(compared.difference),
                    comparison_cell(compared),
                    _against(group, noise, measure),
                    _against(group, twice, measure),
                )


def _against(group: Group, control: Group | None, measure: Measure = final_accuracy) -> Cell:
    if control is None or not control.by_seed(measure):
        return EMPTY
    return comparison_cell(compare(group, control, measure))


def _same(group: Group, section: Section, method: str, fields: Sequence[str]) -> Group | None:
    """The row of another method that is otherwise as this one."""
    suiting = (g for g in section.groups if g.method == method and group.same(g, fields))
    return next(suiting, None)


def _paper_gain(group: Group, other: Group, here: Summary | None) -> str:
    ours, theirs = paper_accuracy(group), paper_accuracy(other)
    if ours is None or theirs is None:
        return ""
    gain = ours.mean - theirs.mean
    text = decimal(gain, 1, sign=True)
    text = text if ours.full else f"({text})"
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

"""Methods by name: which parts each name stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from evoreplay.errors import UserError, unknown

Kind = Literal["replay", "averaged gradient", "fine-tuning"]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A named combination of parts, and what a reader of a table wants to know of it."""

    name: str
    summary: str
    source: str
    """Where it was published."""
    verified: str
    """What our implementation was compared with; the tests have the same name as the part."""
    kind: Kind = "replay"
    memory: str = "reservoir"
    retrieval: str = "uniform"
    transforms: tuple[str, ...] = ()
    flow: str | None = None
    """ld, svgd, hmc or noise."""
    replay_weight: float | None = None
    extra_statistics: bool = False
    """Update BatchNorm by as many more forwards of the replay batch as a flow has steps."""
    epochs: int | None = None
    """A number makes the stream iid, with so many epochs."""
    options: tuple[str, ...] = ()
    """Fields of the config that belong to it alone."""
    row: str | None = None
    """Its row in the paper's main table."""


BASES = (
    Method(
        name="fine-tuning",
        summary="the stream loss alone",
        source="lower bound",
        verified="SGD written out",
        kind="fine-tuning",
        row="fine-tuning",
    ),
    Method(
        name="agem",
        summary="A-GEM: steps never point against the average gradient of memory",
        source="Chaudhry et al., ICLR 2019",
        verified="flat-vector oracle",
        kind="averaged gradient",
        options=("reference",),
        row="A-GEM",
    ),
    Method(
        name="gss",
        summary="GSS-Greedy: memory of diverse gradients",
        source="Aljundi et al., NeurIPS 2019",
        verified="slow oracle from the paper's algorithm; diversity against a reservoir",
        memory="gss",
        row="GSS-Greedy",
    ),
    Method(
        name="er",
        summary="experience replay: reservoir memory, uniform replay",
        source="Chaudhry et al., 2019",
        verified="SGD on the sum of means written out; chi-square of the reservoir",
        row="ER",
    ),
    Method(
        name="er-x2",
        summary="control: er with replay weight 2",
        source="control of equal weight",
        verified="as er",
        replay_weight=2.0,
    ),
    Method(
        name="er-bn",
        summary="control: er with as many more BatchNorm updates as a flow has steps",
        source="control of equal statistics",
        verified="count of BatchNorm updates",
        extra_statistics=True,
        options=("steps",),
    ),
    Method(
        name="mir",
        summary="MIR: replay what the incoming batch would hurt most",
        source="Aljundi et al., NeurIPS 2019",
        verified="deep-copy oracle; a model with known interference",
        retrieval="mir",
        options=("candidates",),
        row="MIR",
    ),
    Method(
        name="gmed",
        summary="GMED: replayed examples are edited and written back",
        source="Jin et al., NeurIPS 2021",
        verified="finite-difference oracle",
        transforms=("gmed",),
        options=("stride", "reg", "decay", "edit_sign"),
        row="GMED (ER)",
    ),
    Method(
        name="er-aug",
        summary="ER_aug: augmented copies are replayed beside the raw ones",
        source="Buzzega et al., 2020",
        verified="slow sampling of the affine map; range and determinism",
        transforms=("augment",),
        row="ER_aug + ER",
    ),
    Method(
        name="iid-online",
        summary="upper bound: one pass over the shuffled data, no memory",
        source="upper bound",
        verified="as fine-tuning",
        kind="fine-tuning",
        epochs=1,
        row="iid online",
    ),
    Method(
        name="iid-offline",
        summary="upper bound: five epochs over the shuffled data, no memory",
        source="upper bound",
        verified="as fine-tuning",
        kind="fine-tuning",
        epochs=5,
        row="iid offline",
    ),
)

EVOLVING = ("gss", "er", "mir", "gmed", "er-aug")


@dataclass(frozen=True)
class NamedFlow:
    """A suffix of a method's name."""

    summary: str
    verified: str
    options: tuple[str, ...]
    row: str | None


FLOWS = {
    "ld": NamedFlow(
        "evolved by Langevin dynamics",
        "closed-form stationary variance",
        ("steps", "rate", "temperature"),
        "WGF-LD",
    ),
    "svgd": NamedFlow(
        "evolved by Stein variational gradient descent",
        "slow sum over pairs; mean and variance of a Gaussian",
        ("steps", "rate", "temperature"),
        "WGF-SVGD",
    ),
    "hmc": NamedFlow(
        "evolved by Hamiltonian dynamics",
        "discrete Lyapunov equation",
        ("steps", "rate", "temperature", "friction", "initial_velocity"),
        "WGF-HMC",
    ),
    "noise": NamedFlow(
        "control: the flow's total noise, no gradient",
        "the flow's displacement on a flat energy",
        ("steps", "rate", "temperature", "match"),
        None,
    ),
}


def with_flow(base: Method, suffix: str) -> Method:
    """`er` and `ld` to `er+ld`."""
    flow = FLOWS[suffix]
    row = None
    if flow.row is not None and base.row in ("ER", "MIR", "GMED (ER)", "ER_aug + ER"):
        row = f"{base.row.removesuffix(' (ER)').removesuffix(' + ER')} + {flow.row}"
    return replace(
        base,
        name=f"{base.name}+{suffix}",
        summary=f"{base.name}, {flow.summary}",
        source="ICML 2022 paper" if flow.row else "control of equal noise",
        verified=flow.verified,
        flow=suffix,
        options=(*base.options, *flow.options),
        row=row,
    )


METHODS: dict[str, Method] = {base.name: base for base in BASES} | {
    method.name: method
    for base in BASES
    if base.name in EVOLVING
    for method in (with_flow(base, suffix) for suffix in FLOWS)
}


def find_method(name: str) -> Method:
    """By name, or an error with the nearest one."""
    if name in METHODS:
        return METHODS[name]
    base, plus, suffix = name.partition("+")
    if plus and suffix in FLOWS and any(b.name == base for b in BASES):
        raise UserError(
            f"{name!r} is no method: {base} replays nothing that could evolve"
            if base not in ("er-x2", "er-bn")
            else f"{name!r} is no method: {base} is a control of er"
        ) from None
    raise unknown("method", name, METHODS)

"""Runs that differ in their seed alone are one row; rows of one dataset are one section."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evoreplay.reports.labels import (
    Named,
    common_settings,
    letters_for,
    named_settings,
)
from evoreplay.reports.plan import NO_PLAN, Plan, row_key
from evoreplay.reports.results import FinishedRun
from evoreplay.running.methods import METHODS, Method

MOST_ROWS = 8
"""Rows of a section with pictures of their own."""


@dataclass(frozen=True, eq=False)
class Group:
    """Runs of one config, one for each seed."""

    named: Named
    """Settings, with their values, by which it differs from other rows of its section."""
    config: Mapping[str, Any]
    """That of the first run, or what the plan has for it."""
    subset: str | None
    runs: tuple[FinishedRun, ...]
    """By seed; none in a row that is planned and not measured."""
    planned_n: int | None = None
    """Seeds that the plan has for it, and any other that is there; None if it is in no plan."""
    letter: str = ""
    """Stands for the named settings where they are too many for a label; see `Section.letters`."""

    @property
    def label(self) -> str:
        """The method and the named settings, or the letter that stands for them."""
        return f"{self.method} ({self.letter})" if self.letter else self.label_without()

    @property
    def method(self) -> str:
        """Its name."""
        return str(self.config["method"])

    @property
    def base(self) -> str:
        """The method without its flow: `er` of `er+ld`."""
        return self.method.partition("+")[0]

    @property
    def flow(self) -> str:
        """The flow, or noise, by its short name; empty without one."""
        return self.method.partition("+")[2]

    def label_without(self, *left_out: str) -> str:
        """The label but for some settings."""
        named = [f"{name}={value}" for name, value in self.named if name not in left_out]
        return " ".join([self.method, *named])

    @property
    def settings(self) -> str:
        """The named settings, all of them."""
        return " ".join(f"{name}={value}" for name, value in self.named)

    @property
    def known_method(self) -> Method | None:
        """What this version knows of the method."""
        return METHODS.get(self.method)

    @property
    def seeds(self) -> list[int]:
        """Sorted."""
        return [run.seed for run in self.runs]

    @property
    def final_accuracy(self) -> dict[int, float]:
        """By seed."""
        return {run.seed: run.final_accuracy for run in self.runs}

    def by_seed(self, value: Callable[[FinishedRun], float | None]) -> dict[int, float]:
        """A number of each run that has it."""
        found = {run.seed: value(run) for run in self.runs}
        return {seed: number for seed, number in found.items() if number is not None}

    def same(self, other: Group, fields: Iterable[str]) -> bool:
        """Whether both have the same data and equal values in these fields."""
        return self.subset == other.subset and all(
            self.config[field] == other.config[field] for field in ("dataset", "scale", *fields)
        )


def shown_groups(groups: Sequence[Group], most: int = MOST_ROWS) -> list[Group]:
    """At most so many: every method once before any comes twice, those of `er` first."""
    times: dict[str, int] = defaultdict(int)
    ranked = []
    for place, group in enumerate(groups):
        times[group.method] += 1
        ranked.append((times[group.method], not group.method.startswith("er"), place))
    return [groups[place] for place in sorted(place for _, _, place in sorted(ranked)[:most])]


@dataclass(frozen=True)
class Section:
    """Rows that may be looked at side by side: one dataset, one share of it."""

    dataset: str
    subset: str | None
    scale: float
    groups: tuple[Group, ...]
    """Rows with a finished run."""
    common: Mapping[str, Any]
    """Settings of all rows that are not those of the protocol."""
    missing: tuple[Group, ...] = ()
    """Rows of the plan of which no run is finished."""

    @property
    def all_groups(self) -> list[Group]:
        """Measured or not, in the order of the tables."""
        return sorted((*self.groups, *self.missing), key=_order)

    @property
    def title(self) -> str:
        """The dataset, and what is not the whole of it."""
        return ", ".join([self.dataset, *self.marks])

    @property
    def letters(self) -> dict[str, str]:
        """The settings that each letter in a label stands for."""
        lettered = [group for group in self.all_groups if group.letter]
        lettered.sort(key=lambda group: (len(group.letter), group.letter))
        return {group.letter: group.settings for group in lettered}

    @property
    def marks(self) -> list[str]:
        """What to know before comparing with numbers of the full dataset."""
        marks = [] if self.scale == 1 else [f"scale {self.scale:g} of the stream"]
        return marks if self.subset is None else [*marks, f"subset: {self.subset}"]


def sections(runs: Iterable[FinishedRun], plan: Plan = NO_PLAN) -> list[Section]:
    """All runs by dataset and by row, in an order that depends on nothing but them and the plan.

    A row of the plan without a run goes where its runs would go: to the dataset and scale; of
    several subsets, to the first. Labels tell measured and planned rows apart.
    """
    by_place: dict[Place, list[FinishedRun]] = defaultdict(list)
    measured = set()
    for run in runs:
        by_place[_place(run.config, run.subset)].append(run)
        measured.add(row_key(run.config))
    missing: dict[Place, list[Mapping[str, Any]]] = defaultdict(list)
    for key, row in plan.items():
        if key not in measured:
            whole = _place(row.config, None)
            alike = [p for p in by_place if (p.dataset, p.scale) == (whole.dataset, whole.scale)]
            missing[min(alike, default=whole)].append(row.config)
    return [
        _section(place, by_place.get(place, []), missing.get(place, []), plan)
        for place in sorted({*by_place, *missing})
    ]


class Place(NamedTuple):
    """A section, in the order of sections."""

    dataset: str
    subset: str
    """Empty if it is the whole dataset."""
    scale: float
    """Negative, so that more of the stream comes first."""


def _place(config: Mapping[str, Any], subset: str | None) -> Place:
    return Place(str(config["dataset"]), subset or "", -float(config["scale"]))


def _section(
    place: Place, runs: list[FinishedRun], missing: list[Mapping[str, Any]], plan: Plan
) -> Section:
    by_row: dict[str, list[FinishedRun]] = defaultdict(list)
    for run in runs:
        by_row[row_key(run.config)].append(run)
    configs = [rows[0].config for rows in by_row.values()] + missing
    subset = place.subset or None
    named = {row_key(c): n for c, n in zip(configs, named_settings(configs), strict=True)}
    letters = letters_for(named.values())

    def group(config: Mapping[str, Any]) -> Group:
        key = row_key(config)
        own = sorted(by_row.get(key, ()), key=lambda run: run.seed)
        there = {run.seed for run in own}
        return Group(
            named=named[key],
            config=config,
            subset=subset,
            runs=tuple(own),
            planned_n=len(plan[key].seeds | there) if key in plan else None,
            letter=letters.get(named[key], ""),
        )

    return Section(
        dataset=place.dataset,
        subset=subset,
        scale=float(configs[0]["scale"]),
        groups=tuple(sorted((group(rows[0].config) for rows in by_row.values()), key=_order)),
        common=common_settings(configs),
        missing=tuple(sorted(map(group, missing), key=_order)),
    )


def _order(group: Group) -> tuple[tuple[int, int, str], str]:
    return method_order(group.method), group.label


def method_order(method: str) -> tuple[int, int, str]:
    """A key that puts a method's flows behind it: er, er+ld, ..., mir, mir+ld, ..."""
    known = list(METHODS)
    base = method.partition("+")[0]
    places = [known.index(name) if name in known else len(known) for name in (base, method)]
    return places[0], -1 if method == base else places[1], method

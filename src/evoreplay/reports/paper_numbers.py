"""The paper's figures, and which of our rows is which of its experiments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from evoreplay.reports.groups import Group
from evoreplay.reports.usual import HARDWARE, config_by

COLUMNS = {"cifar10": "cifar10", "cifar100": "cifar100", "mini-imagenet": "miniimagenet"}
"""Our names of datasets and the paper's."""
SAME_EXPERIMENT = frozenset({
    *("dataset", "method", "seed", "scale", "dot_product", "attacked", *HARDWARE),
})  # fmt: skip
"""A row may have any of these: they are not settings of the experiment, or are looked up."""
PAPERS_OWN = "paper"
"""The recipe of its experiments."""
CARLINI_WAGNER_ROWS = {"GMED (ER)": "GMED"}


class PaperNumber(NamedTuple):
    """A cell of one of its tables."""

    mean: float
    deviation: float | None
    table: str
    full: bool
    """Whether our row has the whole dataset too; else the two are not the same experiment."""


@cache
def paper_tables() -> Mapping[str, Any]:
    """All tables, by name."""
    text = files("evoreplay.reports").joinpath("paper.json").read_text(encoding="utf-8")
    tables: Mapping[str, Any] = json.loads(text)["tables"]
    return tables


def paper_accuracy(group: Group) -> PaperNumber | None:
    """The paper's accuracy for this row: from its main table or from that of the one varied field.

    None if the row is not one of its experiments: another method, another setting, other data.
    """
    dataset, method = COLUMNS.get(group.config["dataset"]), group.known_method
    if dataset is None or method is None or method.row is None:
        return None
    varied = varied_fields(group)
    if len(varied) > 1:
        return None
    lookups = {
        "memory_size": (f"memory_size_{dataset}", method.row),
        "steps": ("evolution_steps" if dataset == "miniimagenet" else "", method.row),
        "rate": (f"alpha_{dataset}", method.row),
        "alignment": ("beta", dataset),
    }
    if not varied:
        return _cell("main", method.row, dataset, group)
    (field,) = varied
    table, name = lookups.get(field, ("", ""))
    value = group.config[field]
    if field == "alignment":
        return _cell(table, value, name, group) if method.row == "ER + WGF-LD" else None
    return _cell(table, name, value, group)


def varied_fields(group: Group) -> list[str]:
    """Settings of the experiment in which the row is not the paper's."""
    usual = config_by(PAPERS_OWN, group.config)
    return [
        field
        for field, value in group.config.items()
        if field not in SAME_EXPERIMENT and value != usual.get(field)
    ]


def has_papers_recipe(group: Group) -> bool:
    """Whatever else is set; the paper's claims are about such rows."""
    return bool(group.config["recipe"] == PAPERS_OWN)


def paper_cost(group: Group) -> PaperNumber | None:
    """Its training time relative to ER; of which dataset it does not say."""
    method = group.known_method
    if method is None or method.row is None or varied_fields(group):
        return None
    found = _cell("cost", method.row, "relative time", group)
    known = group.config["dataset"] in COLUMNS
    return found if found is None or known else found._replace(full=False)


def paper_carlini_wagner(group: Group) -> PaperNumber | None:
    """Its accuracy under the Carlini-Wagner attack, of unknown budget."""
    dataset, method = COLUMNS.get(group.config["dataset"]), group.known_method
    # only where the accuracy without attack is comparable, too
    if dataset is None or method is None or method.row is None or paper_accuracy(group) is None:
        return None
    row = CARLINI_WAGNER_ROWS.get(method.row, method.row)
    return _cell("carlini_wagner", row, dataset, group)


def _cell(table: str, row: object, column: object, group: Group) -> PaperNumber | None:
    found = paper_tables().get(table)
    if found is None:
        return None
    rows = {_key(name): cells for name, cells in found["rows"].items()}
    columns = [_key(name) for name in found["columns"]]
    if _key(row) not in rows or _key(column) not in columns:
        return None
    mean, deviation = rows[_key(row)][columns.index(_key(column))]
    full = group.subset is None and group.config["scale"] == 1
    return PaperNumber(mean, deviation, table, full)


def _key(name: object) -> object:
    """Numbers by their value: 0.0 and 0 are one column."""
    try:
        return float(str(name))
    except ValueError:
        return name

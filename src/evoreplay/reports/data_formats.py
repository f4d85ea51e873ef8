"""The numbers for another program: CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from evoreplay.reports.attack_tables import carlini_wagner_attacks, pgd_curves, pgd_settings
from evoreplay.reports.comparisons import Comparison
from evoreplay.reports.groups import Group, Section
from evoreplay.reports.memory_numbers import MemoryNumbers
from evoreplay.reports.memory_results import Distance, Known, Rise
from evoreplay.reports.paper_numbers import PaperNumber, paper_accuracy
from evoreplay.reports.report import Report, SectionReport
from evoreplay.reports.reproduction import command_of
from evoreplay.reports.robustness import eps_text
from evoreplay.reports.rows import Row, percent
from evoreplay.reports.statistics import Summary
from evoreplay.reports.tables import Table

VARIED = ("memory_size", "steps", "rate", "alignment", "recipe", "precision")


def comma_separated(report: Report) -> str:
    """One line for each row of the result tables, with every number it has."""
    blank = _blank(report)
    lines = [line for part in report.sections for line in _lines(part, flat_row, blank)]
    names = list(dict.fromkeys(name for line in lines for name in line))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def everything(report: Report) -> str:
    """JSON of all that the page is drawn from, images and maps aside."""
    blank = _blank(report) | {"runs": []}
    document = {
        "sections": [
            {
                "dataset": part.section.dataset,
                "subset": part.section.subset,
                "scale": part.section.scale,
                "rows": _lines(part, _row, blank),
                "tables": [_table(table) for table in part.tables],
            }
            for part in report.sections
        ],
        "skipped": [{"name": s.name, "reason": s.reason} for s in report.skipped],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def flat_row(part: SectionReport, row: Row) -> dict[str, Any]:
    """Every number of a row under a name of its own; accuracies in percent."""
    flat: dict[str, Any] = {
        **_identity(part.section, row.group),
        **_numbers("accuracy", row.accuracy),
        **_numbers("forgetting", row.forgetting),
    }
    compared = {"er": row.to_reference, "noise": row.to_noise, "er_x2": row.to_twice}
    for name, comparison in compared.items():
        flat |= _comparison(f"to_{name}", comparison)
    return flat | {
        **_paper("paper", row.paper),
        **_memory(row.memory),
        **_numbers("seconds_per_step", row.seconds_per_step),
        **_numbers("cost", row.cost),
        "cost_by_passes": row.predicted_cost,
        **_paper("paper_cost", row.paper_cost),
        **_attacks(row.group),
        "config_hashes": " ".join(run.config_hash for run in row.group.runs),
        "command": command_of(row.group.runs[0]),
    }


def _lines(
    part: SectionReport,
    of_row: Callable[[SectionReport, Row], dict[str, Any]],
    blank: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Of each row of the result table; one that is not measured is `blank` but for its name."""
    measured = {row.group: row for row in part.rows}
    return [
        of_row(part, measured[group])
        if group in measured
        else {
            **blank,
            **_identity(part.section, group),
            "accuracy_n": 0,
            **_paper("paper", paper_accuracy(group)),
        }
        for group in part.section.all_groups
    ]


def _blank(report: Report) -> dict[str, Any]:
    """The names of a row's numbers, and none of the numbers."""
    rows = ((part, row) for part in report.sections for row in part.rows)
    return next((dict.fromkeys(flat_row(part, row)) for part, row in rows), {})


def _identity(section: Section, group: Group) -> dict[str, Any]:
    return {
        "dataset": section.dataset,
        "subset": section.subset,
        "scale": section.scale,
        "row": group.label_without(),
        "method": group.method,
        **{name: group.config[name] for name in VARIED},
        "seeds": " ".join(str(seed) for seed in group.seeds),
        **({} if group.planned_n is None else {"planned_n": group.planned_n}),
    }


def _row(part: SectionReport, row: Row) -> dict[str, Any]:
    """A row with what its runs measured."""
    return flat_row(part, row) | {
        "runs": [
            {
                "name": run.name,
                "seed": run.seed,
                "config": dict(run.config),
                "config_hash": run.config_hash,
                "command": command_of(run),
                "final_accuracy": run.final_accuracy,
                "forgetting": run.forgetting,
                "memory_moved": run.memory_moved,
                "seconds_per_step": run.seconds_per_step,
                "accuracy_matrix": run.matrix,
                "anytime_accuracy": [{"batch": b, "accuracy": a} for b, a in run.anytime.items()],
                "memory_balance": [{"batch": b, "counts": c} for b, c in run.balance.items()],
                "memory_loss": _moments(run.memory.known),
                "memory_distance": _moments(run.memory.distance),
                "memory_loss_rise": _moments(run.memory.rise),
                "robustness": None if run.robustness is None else asdict(run.robustness),
                "versions": dict(run.versions),
            }
            for run in row.group.runs
        ]
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "columns": [column.title for column in table.columns],
        "rows": [
            [{"text": c.text, "detail": c.detail, "value": c.value} for c in row]
            for row in table.rows
        ],
        "notes": table.notes,
    }


def _numbers(name: str, found: Summary | None) -> dict[str, Any]:
    values = (None,) * 5 if found is None else tuple(found)
    endings = ("n", "mean", "sd", "low", "high")
    return {f"{name}_{ending}": value for ending, value in zip(endings, values, strict=True)}


def _memory(found: MemoryNumbers) -> dict[str, Any]:
    """What evolution does to the memory; accuracies in percentage points."""
    compared = found.by_heart_to_reference
    return {
        **_numbers("memory_moved", found.moved),
        **_numbers("memory_loss_rise", found.loss_rise),
        **_numbers("memory_distance_raw", found.raw_distance),
        **_numbers("memory_distance_evolved", found.evolved_distance),
        **_numbers("memory_distance_evolved_minus_raw", found.farther),
        "memory_distance_words": found.farther_words,
        **_numbers("memory_loss", found.loss),
        **_numbers("memory_minus_test_accuracy", found.by_heart),
        **_comparison("memory_minus_test_accuracy_to_er", compared),
    }


def _moments(moments: Mapping[int, Known | Distance | Rise]) -> list[dict[str, Any]]:
    return [{"batch": batch, **moment._asdict()} for batch, moment in moments.items()]


def _attacks(group: Group) -> dict[str, Any]:
    """Accuracy under attack; columns that only attacked rows have.

    Of several settings of one attack the first is taken: the page has them all.
    """
    flat: dict[str, Any] = {}
    for settings in pgd_settings([group])[:1]:
        curves = pgd_curves(group, settings)
        for eps in sorted({eps for curve in curves for eps in curve}):
            shares = [curve[eps] for curve in curves if eps in curve]
            flat |= _numbers(f"pgd_{eps_text(eps)}", percent(shares))
    for (name, budget), attacks in carlini_wagner_attacks(group).items():
        if f"cw_{name}_budget" not in flat:
            flat[f"cw_{name}_budget"] = budget
            flat |= _numbers(f"cw_{name}", percent([attack.accuracy for attack in attacks]))
    return flat


def _comparison(name: str, found: Comparison | None) -> dict[str, Any]:
    difference = None if found is None else found.difference
    words = None if found is None else found.words
    against = None if found is None else found.against
    return {f"{name}_row": against, **_numbers(name, difference), f"{name}_words": words}


def _paper(name: str, found: PaperNumber | None) -> dict[str, Any]:
    mean, deviation, table, full = (None,) * 4 if found is None else found
    return {
        f"{name}_mean": mean,
        f"{name}_sd": deviation,
        f"{name}_table": table,
        f"{name}_same_data": full,
    }

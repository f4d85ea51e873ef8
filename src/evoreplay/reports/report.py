"""All that a report says, before it is written in one format or another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evoreplay.reports.along_table import along_table
from evoreplay.reports.attack_comparisons import attack_comparison_table
from evoreplay.reports.attack_tables import attack_tables
from evoreplay.reports.claims import claims_table
from evoreplay.reports.collect import Skipped, collect
from evoreplay.reports.groups import Section, sections
from evoreplay.reports.larger_batch_table import larger_batch_table
from evoreplay.reports.memory_table import memory_table
from evoreplay.reports.plan import plan_of
from evoreplay.reports.result_tables import section_tables
from evoreplay.reports.results import FinishedRun
from evoreplay.reports.rows import Row, rows_of
from evoreplay.reports.snapshots import Memories, shown_memories
from evoreplay.reports.tables import Table, explained
from evoreplay.running import Config


@dataclass(frozen=True)
class SectionReport:
    """One dataset."""

    section: Section
    rows: list[Row]
    tables: list[Table]
    memories: Memories


@dataclass(frozen=True)
class Report:
    """All datasets, and what is not on the page."""

    sections: list[SectionReport]
    skipped: list[Skipped]

    @property
    def runs(self) -> list[FinishedRun]:
        """That it is made of."""
        return [run for part in self.sections for row in part.rows for run in row.group.runs]

    @property
    def run_count(self) -> int:
        """How many these are."""
        return len(self.runs)

    @property
    def row_count(self) -> int:
        """Rows with a finished run."""
        return sum(len(part.rows) for part in self.sections)

    @property
    def missing_count(self) -> int:
        """Rows of the plan without one."""
        return sum(len(part.section.missing) for part in self.sections)


def make_report(folder: Path, *, planned: Iterable[Config] = ()) -> Report:
    """The report of all finished runs below a folder.

    `planned` are the runs that there should be, every field decided: rows of which none is
    finished are named as not measured, and the others say how many of their seeds are there.
    """
    found = collect(folder)
    parts = []
    for section in sections(found.runs, plan_of(planned)):
        rows = rows_of(section)
        more = (
            along_table(section),
            attack_comparison_table(section),
            larger_batch_table(section),
            memory_table(section, rows),
            claims_table(section, rows),
        )
        tables = section_tables(section, rows) + attack_tables(section)
        tables += [table for table in more if table is not None]
        tables = [explained(table, section.letters) for table in tables]
        memories = shown_memories(section.groups, found.skipped)
        parts.append(SectionReport(section, rows, tables, memories))
    return Report(parts, sorted(found.skipped))

"""All that a report says, before it is written in one format or another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evoreplay.reports.attack_comparisons import attack_comparison_table
from evoreplay.reports.attack_tables import attack_tables
from evoreplay.reports.claims import claims_table
from evoreplay.reports.collect import Skipped, collect
from evoreplay.reports.groups import Section, sections
from evoreplay.reports.memory_table import memory_table
from evoreplay.reports.result_tables import section_tables
from evoreplay.reports.rows import Row, rows_of
from evoreplay.reports.snapshots import Memories, shown_memories
from evoreplay.reports.tables import Table


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
    def run_count(self) -> int:
        """Runs that the report is made of."""
        return sum(len(row.group.runs) for part in self.sections for row in part.rows)

    @property
    def row_count(self) -> int:
        """Rows of the result tables."""
        return sum(len(part.rows) for part in self.sections)


def make_report(folder: Path) -> Report:
    """The report of all finished runs below a folder."""
    found = collect(folder)
    parts = []
    for section in sections(found.runs):
        rows = rows_of(section)
        more = (
            attack_comparison_table(section),
            memory_table(section, rows),
            claims_table(section, rows),
        )
        tables = section_tables(section, rows) + attack_tables(section)
        tables += [table for table in more if table is not None]
        memories = shown_memories(section.groups, found.skipped)
        parts.append(SectionReport(section, rows, tables, memories))
    return Report(parts, sorted(found.skipped))

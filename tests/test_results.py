"""Pages of results: every number in a table is made again from the results beside the page."""

import itertools
import json
from pathlib import Path

import pytest

from evoreplay import Config, run
from evoreplay.reports.packed_results import packed, packed_text, unpacked
from evoreplay.reports.report import make_report
from evoreplay.reports.write import write_report
from evoreplay.sweeps.grid import experiment_configs, make_grid

RESULTS = Path(__file__).parent.parent / "docs" / "results"
PAGES = sorted(file for file in RESULTS.glob("*.json") if file.with_suffix(".md").exists())


def planned(configs):
    """The grid of these; the results of the pages were made on a CPU."""
    return [job.config for job in make_grid(configs, settings={"device": "cpu"})]


def tables_of(text):
    """Every table of a page, as its lines."""
    parts = itertools.groupby(text.splitlines(), key=lambda line: line.startswith("|"))
    return [list(lines) for is_table, lines in parts if is_table]


def tables_not_on_page(results, page, grid, folder):
    """Tables that the results give and the page has not, or not exactly so."""
    unpacked(results, folder / "runs")
    made = write_report(folder / "runs", folder / "report.md", planned=grid)
    assert made.skipped == []
    there = tables_of(page.read_text())
    return [table for table in tables_of(made.path.read_text()) if table not in there]


@pytest.mark.parametrize("results", PAGES, ids=lambda file: file.stem)
def test_a_page_of_results_has_every_table_that_its_results_give(results, tmp_path):
    grid = planned(experiment_configs(results.stem))
    assert tables_not_on_page(results, results.with_suffix(".md"), grid, tmp_path) == []


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Three of the six runs of a small experiment: their results and their page."""
    folder = tmp_path_factory.mktemp("example")
    fields = {"scale": 0.1, "memory_size": 20}
    grid = planned(
        Config(method=method, seed=seed, **fields)
        for method in ("er", "er+ld", "mir")
        for seed in (0, 1)
    )
    for config in grid:
        if (config.method, config.seed) in {("er", 0), ("er", 1), ("er+ld", 0)}:
            run(config, out=folder / "runs")
    report = make_report(folder / "runs", planned=grid)
    (folder / "page.json").write_text(packed_text(packed(report.runs, grid)))
    write_report(folder / "runs", folder / "page.md", planned=grid)
    return folder / "page.json", (folder / "page.md").read_text(), grid


@pytest.fixture
def missing_on(example, tmp_path):
    results, _, grid = example

    def missing(text):
        (tmp_path / "page.md").write_text(text)
        return tables_not_on_page(results, tmp_path / "page.md", grid, tmp_path)

    return missing


def test_a_page_as_it_was_written_lacks_nothing_whatever_else_it_says(example, missing_on):
    _, text, _ = example
    assert "| mir | 0 of 2 | not measured |" in text
    assert missing_on(text.replace("\n## ", "\nSome words.\n\n## ")) == []


def test_a_page_without_one_line_is_noticed(example, missing_on):
    _, text, _ = example
    line = next(line for line in text.splitlines() if line.startswith("| er+ld | 1 of 2 |"))
    (table,) = missing_on(text.replace(f"{line}\n", ""))
    assert line in table


def test_a_page_with_a_changed_number_is_noticed(example, missing_on):
    _, text, _ = example
    line = next(line for line in text.splitlines() if line.startswith("| er | 2 |"))
    mean = line.split(" | ")[2]
    changed = line.replace(f"| {mean} |", f"| {float(mean) + 0.1:.1f} |", 1)
    assert changed != line
    (table,) = missing_on(text.replace(line, changed))
    assert line in table


def test_a_row_that_is_measured_by_now_is_noticed(example, missing_on):
    _, text, _ = example
    line = next(line for line in text.splitlines() if line.startswith("| er+ld | 1 of 2 |"))
    dashes = " | ".join(["\N{EN DASH}"] * (line.count(" | ") - 2))
    old = f"| er+ld | 0 of 2 | not measured | {dashes} |"
    (table,) = missing_on(text.replace(line, old))
    assert line in table


def test_a_line_that_was_left_from_before_is_noticed(example, missing_on):
    _, text, _ = example
    line = next(line for line in text.splitlines() if line.startswith("| er+ld | 1 of 2 |"))
    (table,) = missing_on(text.replace(line, f"{line}\n{line.replace('1 of 2', '0 of 2')}"))
    assert line in table


def test_there_is_a_page_to_look_at():
    assert [file.stem for file in PAGES] == ["cifar10", "mini_imagenet_tenth", "tuned_others"]


def test_the_page_has_a_line_for_each_run_on_the_tasks_of_the_released_code():
    """As `analyses/released_split.py` printed it."""
    lines = json.loads((RESULTS / "cifar10_released_split.json").read_text())
    page = (RESULTS / "cifar10.md").read_text()
    assert lines
    for line in lines:
        cells = [f"{100 * share:.1f}" for share in (*line["accuracies"], line["mean"])]
        assert f"| {line['method']}, seed {line['seed']} | {' | '.join(cells)} |" in page

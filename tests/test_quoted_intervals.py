"""Intervals quoted in the text of README and results: each is one that the results give.

Tables are made again from the results (`test_results.py`), the sentences around them are not, and
go stale when a row gets more seeds. So a quoted difference with its interval has to be, rounded,
that of two rows over all seeds that they share, over seeds 0 to 4 or over the new ones 5 to 9, in
one of the measures below; or stand in a table.
"""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from evoreplay.reports.collect import collect
from evoreplay.reports.groups import sections
from evoreplay.reports.packed_results import unpacked

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
PAGES = [
    ROOT / "README.md",
    *(RESULTS / f"{name}.md" for name in ("index", "cifar10", "recipe_search", "tuned_others")),
]
QUOTING = ("| goal |", "| page |", "| claim of the paper |")
"""Tables that begin so quote numbers, as README's do; others hold what was measured."""
SEEDS = (range(1000), range(5), range(5, 10))
NUMBER = r"([+−-]?\d+\.\d+)"
QUOTE = re.compile(rf"{NUMBER}(?: points| \|)? \\?\[{NUMBER}, {NUMBER}\\?\]")
ELSEWHERE = {
    "+0.0007 [−0.0005, +0.0019]",
    "+0.0085 [−0.0323, +0.0492]",
    "+0.0012 [+0.0007, +0.0017]",
    "+3.7 [−0.8, +8.2]",
    "−2.5 [−3.5, −1.6]",
}
"""Of the programs in `analyses/`, which ask networks, and of docs/performance.md (writing back)."""


def quotes(text):
    """Each as it stands, and as numbers with their last digit: mean, low, high."""
    for match in QUOTE.finditer(text):
        numbers = [part.replace("−", "-") for part in match.groups()]
        digit = 10.0 ** -len(numbers[0].partition(".")[2])
        yield match[0].replace(" points", ""), np.array([float(part) for part in numbers]), digit


def parts(text):
    """The tables of a page that hold what was measured, and all the rest of it."""
    tables, rest = [], []
    for is_table, lines in itertools.groupby(text.splitlines(), lambda s: s.startswith("|")):
        block = "\n".join(lines)
        (tables if is_table and not block.startswith(QUOTING) else rest).append(block)
    return "\n".join(tables), "\n".join(rest)


def pgd(run):
    at = {} if run.robustness is None else run.robustness.pgd
    return next((share for eps, share in at.items() if abs(eps - 4 / 255) < 1e-9), None)


def on_old_tasks(run):
    return fmean(row[-1] for row in run.matrix[:-1])


def on_the_newest_task(run):
    return run.matrix[-1][-1]


def on_memory(run):
    known = run.memory.known
    return known[max(known)].accuracy if known else None


MEASURES = (
    *(lambda run: run.final_accuracy, lambda run: fmean(run.anytime.values()), pgd),
    *(on_old_tasks, on_the_newest_task, on_memory),
)


def averaged(rows, again):
    """Plain `er`, with the mean of both final accuracies where a seed was run twice."""
    plain = {"method": "er", "replay_size": 10}
    (er,) = (
        row
        for row in rows
        if all(run.config[field] == plain[field] for run in row.values() for field in plain)
    )
    twice = {seed: [er[seed].final_accuracy, run.final_accuracy] for seed, run in again.items()}
    means = {seed: fmean(twice.get(seed, [run.final_accuracy])) for seed, run in er.items()}
    return {seed: replace(run, final_accuracy=means[seed]) for seed, run in er.items()}


def differences(rows):
    """Mean and interval, by an oracle of its own, for every two rows."""
    for ours, theirs in itertools.permutations(rows, 2):
        for measure, seeds in itertools.product(MEASURES, SEEDS):
            pairs = [
                (measure(ours[seed]), measure(theirs[seed]))
                for seed in ours.keys() & theirs.keys() & set(seeds)
            ]
            points = [100 * (a - b) for a, b in pairs if a is not None and b is not None]
            if len(points) > 1 and np.std(points) > 0:
                interval = stats.ttest_1samp(points, 0).confidence_interval()
                yield fmean(points), interval.low, interval.high


def rows_of(name, folder):
    """Runs by seed, for each row of each dataset in a file of results."""
    unpacked(RESULTS / f"{name}.json", folder / name)
    return [
        [{run.seed: run for run in group.runs} for group in section.groups]
        for section in sections(collect(folder / name).runs)
    ]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What results and tables give: mean, low, high, and how exact they are."""
    folder = tmp_path_factory.mktemp("results")
    (cifar10,), (first_er,) = rows_of("cifar10", folder), rows_of("cifar10_first_er", folder)
    datasets = [
        [*cifar10, *first_er, averaged(cifar10, *first_er)],
        *rows_of("tuned_others", folder),
    ]
    found = [(*interval, 0.0) for rows in datasets for interval in differences(rows)]
    for page in PAGES[1:]:
        for _, numbers, digit in quotes(parts(page.read_text())[0]):
            mirrored = -numbers[[0, 2, 1]]
            found += [(*numbers, digit), (*mirrored, digit)]
    return np.array(found)


def is_given(numbers, digit, given):
    rounded = np.where(np.isclose(given[:, 3:], digit), 0, (digit + given[:, 3:]) / 2)
    return bool((np.abs(given[:, :3] - numbers) <= rounded + 1e-9).all(axis=1).any())


def quoted(page):
    text = page.read_text()
    return text if page.name == "README.md" else parts(text)[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_interval_in_the_text_is_one_that_the_results_give(page, given):
    found = list(quotes(quoted(page)))
    assert found
    wrong = [
        said
        for said, numbers, digit in found
        if said not in ELSEWHERE and not is_given(numbers, digit, given)
    ]
    assert wrong == []


def test_an_interval_of_fewer_seeds_is_noticed(given):
    """The first was said of er+ld, `reference`, when it had three seeds; now it has five."""
    before, now = quotes("+1.8 [−1.0, +4.6] to its noise, and +0.4 [−2.3, +3.1]")
    assert not is_given(*before[1:], given)
    assert is_given(*now[1:], given)

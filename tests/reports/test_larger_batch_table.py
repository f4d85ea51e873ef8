import json

import numpy as np
import pytest
from scipy import stats

from evoreplay.reports.page import html_page
from evoreplay.reports.report import make_report

EVOLVED = [0.35, 0.37, 0.36]
LARGER = [0.33, 0.36, 0.31]
KIND = {"evoreplay": "0.1.0", "torch": "2.13.0", "threads": 1, "cpu": "AVX2"}


def of_results(moments=(), seconds=0.01, cpu="AVX2"):
    return {
        "anytime_accuracy": [{"batch": 10 * (i + 1), "accuracy": a} for i, a in enumerate(moments)],
        "seconds_per_step": seconds,
        "versions": KIND | {"cpu": cpu},
    }


@pytest.fixture
def write_rows(write_run):
    def write(**larger):
        fields = {"replay_size": 24} | larger
        for seed, (evolved, plain) in enumerate(zip(EVOLVED, LARGER, strict=True)):
            write_run("er", seed, 0.3)
            write_run("er+ld", seed, evolved, changes=of_results((0.6, evolved), 0.015))
            write_run("er", seed, plain, changes=of_results((0.5, plain), 0.012), **fields)

    return write


@pytest.fixture
def table(tmp_path):
    def found():
        (section,) = make_report(tmp_path).sections
        return next((one for one in section.tables if one.name == "larger-batch"), None)

    return found


def interval(ours, theirs):
    differences = 100 * (np.array(ours) - np.array(theirs))
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    text = f"{differences.mean():+.2f} [{low:+.2f}, {high:+.2f}]"
    return text.replace("-", "\N{MINUS SIGN}")


def test_a_flow_stands_beside_er_that_spends_its_time_on_more_examples(write_rows, table):
    write_rows()
    ((method, other, time, final, along, attacked),) = table().rows
    assert (method.text, other.text) == ("er+ld", "er replay_size=24")
    assert time.value == pytest.approx(1.25)
    assert final.text == interval(EVOLVED, LARGER)
    means = [np.mean([(first, last) for last in values], axis=1)
             for first, values in ((0.6, EVOLVED), (0.5, LARGER))]  # fmt: skip
    assert along.text == interval(*means)
    assert attacked.text == "\N{EN DASH}"


@pytest.mark.parametrize(
    "other", [{"replay_size": 5}, {"lr": 0.05}, {"memory_size": 50}, {"updates": 2}]
)
def test_er_with_a_smaller_batch_or_other_training_is_no_such_control(write_rows, table, other):
    write_rows(**other)
    assert table() is None


def test_one_seed_in_common_makes_no_line(write_run, table):
    write_run("er+ld", 0)
    write_run("er+ld", 1)
    write_run("er", 1, replay_size=24)
    write_run("er", 2, replay_size=24)
    assert table() is None


def test_times_of_two_kinds_of_cpu_are_not_divided(write_rows, write_run, table):
    for seed in (0, 1):
        write_run("er+ld", seed, 0.4, changes=of_results((0.5,)))
        write_run("er", seed, 0.3, changes=of_results((0.5,), cpu="AVX512"), replay_size=24)
    ((_, _, time, _, _, _),) = table().rows
    assert time.text == "\N{EN DASH}"


def test_accuracy_under_attack_is_compared_where_both_were_attacked(write_run, table):
    shares = {"er+ld": (10, [0.12, 0.14]), "er": (24, [0.03, 0.02])}
    for method, (replay_size, values) in shares.items():
        for seed, share in enumerate(values):
            path = write_run(method, seed, dataset="cifar10", replay_size=replay_size)
            digits = json.loads((path / "result.json").read_text())["config_hash"]
            curve = [{"eps": 0.0, "accuracy": 0.5}, {"eps": 4 / 255, "accuracy": share}]
            found = {"config_hash": digits, "examples": 1000, "pgd": {"steps": 20, "curve": curve}}
            (path / "robustness.json").write_text(json.dumps(found))
    ((*_, attacked),) = table().rows
    assert attacked.text == interval([0.12, 0.14], [0.03, 0.02])


def test_the_table_stands_on_the_page(write_rows, tmp_path):
    write_rows()
    assert "The same time on a larger replay batch" in html_page(make_report(tmp_path))

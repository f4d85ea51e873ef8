import html
import json

import numpy as np
import pytest
from scipy import stats

from evoreplay.reports.page import html_page
from evoreplay.reports.report import make_report

EPS = 4 / 255
BUDGET = {"searches": 1, "constant": 1.0, "steps": 50, "rate": 0.01}
UNDER_PGD = {
    "er": [0.10, 0.12, 0.11],
    "er+noise": [0.15, 0.11, 0.19],
    "er+ld": [0.20, 0.21, 0.22],
}


@pytest.fixture
def compared(write_run, tmp_path):
    def make(shares=UNDER_PGD, examples=None, **changed):
        for method, values in shares.items():
            for seed, share in enumerate(values):
                path = write_run(method, seed, dataset="cifar10")
                result = json.loads((path / "result.json").read_text())
                curve = [{"eps": 0.0, "accuracy": 0.5}, {"eps": EPS, "accuracy": share}]
                found = {
                    "config_hash": result["config_hash"],
                    "examples": (examples or {}).get(method, 1000),
                    "pgd": {"steps": changed.get(method, 20), "curve": curve},
                    "cw": {"quick": BUDGET | {"accuracy": 0.3, "accuracy_at_half": None}},
                }
                (path / "robustness.json").write_text(json.dumps(found))
        tables = make_report(tmp_path).sections[0].tables
        return next((table for table in tables if table.name == "under-attack"), None)

    return make


def line(table, method, attack):
    (row,) = (r for r in table.rows if (r[0].text, r[1].text) == (method, attack))
    return row[2:]


def test_accuracy_under_attack_is_compared_by_seed_with_er_and_with_the_noise_control(compared):
    to_er, to_noise = line(compared(), "er+ld", "PGD at 4/255")
    differences = 100 * (np.array(UNDER_PGD["er+ld"]) - np.array(UNDER_PGD["er"]))
    low, high = stats.t.interval(0.95, 2, differences.mean(), stats.sem(differences))
    assert to_er.text == f"+{differences.mean():.2f} [+{low:.2f}, +{high:.2f}]"
    assert (to_er.tone, to_er.detail) == ("higher", "higher than er (n = 3)")
    assert to_noise.value == pytest.approx(6.0)
    assert to_noise.tone == "none"
    assert "no difference shown" in to_noise.detail


def test_twice_the_weight_is_a_control_under_attack_where_raw_examples_are_replayed_too(
    compared,
):
    table = compared(UNDER_PGD | {"er-x2": [0.12, 0.13, 0.14]})
    assert table.columns[-1].title.startswith("difference to er-x2")
    assert line(table, "er+ld", "PGD at 4/255")[-1].value == pytest.approx(8.0)
    assert line(table, "er-x2", "PGD at 4/255")[-1].text == "–"


def test_the_noise_control_itself_is_compared_with_er_alone(compared):
    to_er, to_control = line(compared(), "er+noise", "PGD at 4/255")
    assert (to_er.value, to_control.text) == (pytest.approx(4.0), "–")


def test_an_attack_that_says_nothing_at_half_has_no_line_for_it(compared):
    attacks = {row[1].text for row in compared().rows}
    assert attacks == {"PGD at 4/255", "C&W quick"}


def test_attacks_of_different_strength_are_not_compared(compared):
    table = compared(**{"er+ld": 40})
    assert "PGD at 4/255" not in {row[1].text for row in table.rows if row[0].text == "er+ld"}


def test_attacks_on_another_number_of_images_are_not_compared(compared):
    table = compared(examples={"er+ld": 50})
    rows = {row[0].text for row in table.rows}
    assert rows == {"er+noise"}


def test_without_a_row_to_compare_with_there_is_no_table(compared):
    assert compared({"gmed": [0.1, 0.2]}) is None


def test_every_table_of_a_report_with_attacks_stands_on_its_page(compared, tmp_path):
    assert compared() is not None
    report = make_report(tmp_path)
    names = [table.name for table in report.sections[0].tables]
    assert {"pgd", "carlini-wagner", "under-attack", "along", "claims"} <= {*names}
    page = html_page(report)
    titles = [table.title.partition(":")[0] for table in report.sections[0].tables]
    assert [title for title in titles if html.escape(title) not in page] == []

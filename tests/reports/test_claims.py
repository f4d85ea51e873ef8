import json

import numpy as np
import pytest
from scipy import stats

from evoreplay.reports.claims import CLAIMED_COST, between, side
from evoreplay.reports.report import make_report
from evoreplay.reports.statistics import Summary

ER = (0.30, 0.31, 0.32)


@pytest.fixture
def claims(write_run, tmp_path):
    """The table of claims of rows of CIFAR-10: accuracies by method, or by method and settings.

    All by the paper's recipe unless a row says otherwise.
    """

    def make(rows, changes=None, dataset="cifar10"):
        for (method, *settings), values in rows.items():
            for seed, accuracy in enumerate(values):
                more = (changes or {}).get(method)
                fields = {"dataset": dataset, "recipe": "paper"} | dict(settings)
                write_run(method, seed, accuracy, changes=more, **fields)
        tables = make_report(tmp_path).sections[0].tables
        return next((table for table in tables if table.name == "claims"), None)

    return make


def line(table, claim):
    """The line of this claim, or the only one with these words in it."""
    exact = [row for row in table.rows if row[0].text == claim]
    (row,) = exact or [row for row in table.rows if claim in row[0].text]
    return row


def interval(ours, theirs):
    differences = 100 * (np.array(ours) - np.array(theirs))
    return stats.t.interval(0.95, len(ours) - 1, differences.mean(), stats.sem(differences))


def test_a_claim_holds_if_the_whole_interval_is_on_its_side(claims):
    better = (0.35, 0.37, 0.36)
    row = line(claims({("er",): ER, ("er+ld",): better}), "er+ld is more accurate than er")
    low, high = interval(better, ER)
    assert low > 0
    assert row[1].text == "holds"
    assert row[2].text.endswith(f"[+{low:.2f}, +{high:.2f}]")


def test_a_claim_does_not_hold_if_the_whole_interval_is_on_the_other_side(claims):
    row = line(
        claims({("er",): ER, ("er+ld",): (0.25, 0.27, 0.26)}), "er+ld is more accurate than er"
    )
    assert row[1].text == "does not hold"


def test_an_interval_around_zero_and_a_single_seed_tell_nothing(claims):
    table = claims({("er",): ER, ("er+ld",): (0.2, 0.4, 0.3), ("er+svgd",): (0.9,)})
    assert line(table, "er+ld is more accurate than er")[1].text == "cannot tell"
    assert line(table, "er+svgd is more accurate than er")[1].text == "cannot tell"


def test_a_gain_that_noise_has_too_stands_beside_the_claim(claims):
    better = (0.35, 0.37, 0.36)
    table = claims({("er",): ER, ("er+ld",): better, ("er+noise",): better})
    _, here, _, noise, *_ = line(table, "er+ld is more accurate than er")
    assert (here.text, noise.value) == ("holds", 0.0)
    assert "no difference shown" in noise.detail


def test_the_papers_gain_is_said_to_be_outside_an_interval_that_lacks_it(claims):
    # the paper has 37.6 - 33.3 for Langevin and 36.5 - 33.3 for Stein
    rows = {("er",): ER, ("er+ld",): ER, ("er+svgd",): (0.33, 0.345, 0.35)}
    table = claims(rows)
    assert line(table, "er+ld is more accurate than er")[-1].text == "+4.3, outside"
    assert line(table, "er+svgd is more accurate than er")[-1].text == "+3.2"


def test_each_claim_has_a_line_whether_or_not_it_is_measured(claims):
    table = claims({("er",): ER, ("er+ld",): ER})
    missing = [row[0].text for row in table.rows if row[1].text == "not measured"]
    assert missing == [
        "er+svgd is more accurate than er",
        "er+hmc is more accurate than er",
        "evolution improves mir",
        "evolution improves gmed",
        "evolution improves er-aug",
        "SVGD is better than LD",
        "evolved memory is nearer to all past data than raw",
        "writing back is worse than not writing back",
        "evolution makes a network more robust",
    ]
    measured = [row[0].text for row in table.rows if row[1].text != "not measured"]
    assert measured == [
        "er+ld is more accurate than er",
        "a step of er+ld takes 3 to 4 times that of er",
    ]


def test_stein_is_compared_with_langevin_of_the_same_recipe(claims):
    reference = ("recipe", "reference")
    table = claims({
        ("er",): ER,
        ("er+ld",): ER,
        ("er+svgd",): (0.35, 0.36, 0.371),
        ("er+ld", reference): (0.40, 0.41, 0.42),
    })  # fmt: skip
    row = line(table, "than er+ld recipe=paper")
    assert row[0].text == "er+svgd recipe=paper is more accurate than er+ld recipe=paper"
    assert row[1].text == "holds"


def test_of_several_rows_the_one_with_the_same_settings_is_compared(claims):
    table = claims({
        ("er",): ER,
        ("er", ("memory", "gss")): (0.10, 0.11, 0.12),
        ("er+ld",): (0.35, 0.36, 0.37),
        ("er+ld", ("alignment", 0.0)): (0.10, 0.11, 0.12),
        ("er+svgd",): (0.32, 0.33, 0.34),
    })  # fmt: skip
    than = "er+svgd is more accurate than"
    assert line(table, f"{than} er+ld alignment=0.003")[2].value == pytest.approx(-3.0)
    assert line(table, f"{than} er memory=null")[2].value == pytest.approx(2.0)


def test_stein_is_not_compared_with_langevin_at_another_temperature(claims):
    cold = ("temperature", 0.0)
    table = claims({("er",): ER, ("er+svgd",): (0.35, 0.36, 0.371), ("er+ld", cold): ER})
    assert not [row for row in table.rows if "than er+ld temperature=0.0" in row[0].text]


def test_a_run_that_was_attacked_along_the_stream_is_still_the_papers_experiment(claims):
    attacked = ("attacked", 200)
    table = claims({("er",): ER, ("er+ld", attacked): (0.35, 0.36, 0.37)})
    assert line(table, "er+ld attacked=200 is more accurate than er")[1].text == "holds"


def test_a_setting_that_is_not_the_papers_is_not_judged(claims):
    table = claims({("er",): ER, ("er+ld",): ER, ("er+ld", ("space", "layer3")): ER})
    assert not [row for row in table.rows if "layer3" in row[0].text]


def test_one_seed_of_a_distance_is_measured_and_tells_nothing(claims, memory_keys):
    table = claims({("er",): ER, ("er+ld",): ER[:1]}, {"er+ld": memory_keys(0.05, 0.02, rise=0.1)})
    row = line(table, "er+ld: evolved memory is nearer")
    assert (row[1].text, row[2].detail) == ("cannot tell", "fewer than 2 seeds")


def test_nearer_to_the_past_is_a_negative_difference_and_noise_is_asked_too(claims, memory_keys):
    changes = {
        "er+ld": memory_keys(0.05, 0.02, rise=0.1),
        "er+noise": memory_keys(0.02, 0.05, rise=0.0),
    }
    table = claims({("er",): ER, ("er+ld",): ER, ("er+noise",): ER}, changes)
    assert line(table, "er+ld: evolved memory is nearer")[1].text == "holds"
    assert line(table, "er+noise (control): evolved memory")[1].text == "does not hold"


def test_writing_back_is_compared_with_the_same_flow_that_does_not(claims):
    table = claims({
        ("er",): ER,
        ("er+ld",): ER,
        ("er+ld", ("write_back", True)): (0.20, 0.21, 0.225),
        ("er+ld", ("steps", 1)): (0.1, 0.1, 0.1),
    })  # fmt: skip
    row = line(table, "writing back is worse than not writing back")
    assert row[1].text == "holds"
    assert row[2].value == pytest.approx(100 * (0.635 - 0.93) / 3)


@pytest.fixture
def attacked(write_run, tmp_path):
    """The claims of runs with these accuracies under attack."""

    def make(shares):
        for method, values in shares.items():
            for seed, share in enumerate(values):
                path = write_run(method, seed, dataset="cifar10", recipe="paper")
                digest = json.loads((path / "result.json").read_text())["config_hash"]
                curve = [{"eps": level / 255, "accuracy": share} for level in (2, 4)]
                found = {"config_hash": digest, "pgd": {"steps": 20, "curve": curve}}
                (path / "robustness.json").write_text(json.dumps(found))
        tables = make_report(tmp_path).sections[0].tables
        return next(table for table in tables if table.name == "claims")

    return make


def test_robustness_is_claimed_of_a_flow_against_the_method_that_it_is_added_to(attacked):
    shares = {"er": (0.0, 0.0, 0.0), "mir": (0.1, 0.11, 0.1), "mir+ld": (0.1, 0.1, 0.11)}
    row = line(attacked(shares), "mir+ld keeps more accuracy than mir under PGD")
    assert row[1].text == "cannot tell"
    assert row[2].value == pytest.approx(0)


def test_robustness_is_told_for_one_strength_with_the_noise_control_beside_it(attacked):
    shares = {"er": (0.1, 0.1, 0.1), "er+noise": (0.2, 0.21, 0.2), "er+ld": (0.2, 0.21, 0.22)}
    table = attacked(shares)
    row = line(table, "er+ld keeps more accuracy")
    assert row[0].text.endswith("under PGD at 4/255")
    assert row[1].text == "holds"
    assert "no difference shown" in row[3].detail


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (3.1, 3.9, "holds"),
        (1.0, 2.4, "does not hold"),
        (4.6, 5.0, "does not hold"),
        (2.4, 3.2, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_the_cost_is_claimed_to_be_three_to_four_as_rounded_numbers(low, high, said):
    assert between(Summary(3, 3.5, 0.1, low, high), CLAIMED_COST) == said


def test_a_claim_of_less_holds_below_zero():
    found = Summary(3, -2.0, 0.1, -3.0, -1.0)
    assert side(found, above=False) == "holds"
    assert side(found) == "does not hold"
    assert side(None) == "cannot tell"


def test_rows_without_a_flow_have_no_claims(claims):
    assert claims({("er",): ER, ("gmed",): ER}) is None


def test_the_digits_have_no_claims_of_the_paper(claims):
    assert claims({("er",): ER, ("er+ld",): ER}, dataset="digits") is None


def test_rows_of_another_recipe_say_nothing_of_the_papers_claims(claims):
    reference = ("recipe", "reference")
    table = claims({
        ("er",): ER,
        ("er+ld", reference): ER,
        ("er+ld", reference, ("write_back", True)): (0.20, 0.21, 0.225),
    })  # fmt: skip
    assert {row[1].text for row in table.rows} == {"not measured"}

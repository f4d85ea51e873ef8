from statistics import fmean

from evoreplay.running import robustness
from evoreplay.running.attack_budgets import CARLINI_WAGNER, Measured


def test_accuracy_and_distances_by_hand():
    measured = Measured(examples=10, distances=[0.2, 0.4, 0.6, None])
    assert measured.accuracy() == 0.1
    assert measured.accuracy(within=0.5) == 0.2
    entry = robustness.with_measured({}, {CARLINI_WAGNER["full"]: measured})["cw"]["full"]
    assert entry["mean_l2"] == fmean([0.2, 0.4, 0.6])
    nobody = Measured(examples=10, distances=[None, None])
    entry = robustness.with_measured({}, {CARLINI_WAGNER["full"]: nobody})["cw"]["full"]
    assert (entry["mean_l2"], entry["accuracy_at_half"]) == (None, 0.2)

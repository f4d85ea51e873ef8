from evoreplay.metrics import final_accuracy, forgetting

MATRIX = [[0.9, 0.5, 0.6], [None, 0.8, 0.4], [None, None, 0.7]]


def test_final_accuracy_is_the_mean_of_the_last_column():
    assert abs(final_accuracy(MATRIX) - (0.6 + 0.4 + 0.7) / 3) < 1e-12


def test_forgetting_is_the_mean_fall_from_the_best_without_the_last_segment():
    assert abs(forgetting(MATRIX) - ((0.9 - 0.6) + (0.8 - 0.4)) / 2) < 1e-12


def test_forgetting_is_never_negative_and_nothing_for_one_segment():
    assert forgetting([[0.1, 0.9], [None, 0.5]]) == 0
    assert forgetting([[0.5]]) is None

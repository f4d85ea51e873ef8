from evoreplay.reports.section_figures import (
    balance_figures,
    difference_figures,
    left_out_note,
    matrix_figures,
)
from shared.report_pictures import parts_of, words


def test_differences_to_er_and_to_the_noise_control_are_drawn_and_bounds_are_not(folder, write_run):
    for seed in range(3):
        write_run("fine-tuning", seed, 0.1, out=folder)
    part, styles = parts_of(folder)
    drawn = words(difference_figures(part.rows, styles))
    assert "Difference to er " in drawn
    assert "Difference to the noise control" in drawn
    assert "er-x2" not in drawn
    assert "fine-tuning" not in drawn


def test_one_seed_has_no_difference_to_draw(write_run, tmp_path):
    write_run("er")
    write_run("er+ld")
    part, styles = parts_of(tmp_path)
    assert difference_figures(part.rows, styles) is None


def test_a_matrix_is_the_mean_over_seeds(write_run, tmp_path):
    for seed, accuracy in enumerate((0.25, 0.75)):
        write_run("er", seed, accuracy)
    part, _ = parts_of(tmp_path)
    drawn = words(matrix_figures(part.section))
    assert "er, mean of n = 2" in drawn
    assert drawn.count("50") == 6  # the lower triangle of three segments


def test_rows_that_fill_their_memory_alike_share_a_picture(write_run, tmp_path):
    write_run("er")
    write_run("mir")
    balance = [{"batch": 10, "counts": [9, 1]}]
    write_run("gss", changes={"memory_balance": balance})
    part, _ = parts_of(tmp_path)
    drawn = balance_figures(part.section)
    assert drawn.count("<figure") == 2
    assert "er, mir" in words(drawn)


def test_nothing_measured_is_nothing_drawn(write_run, tmp_path):
    write_run("er", changes={"accuracy_matrix": [], "memory_balance": []})
    part, _ = parts_of(tmp_path)
    assert matrix_figures(part.section) is None
    assert balance_figures(part.section) is None


def test_a_note_says_how_many_rows_are_left_out():
    assert left_out_note(3, 3) == ""
    assert left_out_note(2, 3) == " 2 of 3 rows are shown."

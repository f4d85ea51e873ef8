from evoreplay.reports.labels import number_in_letters, setting_text


def test_letters_go_on_after_the_last_of_the_alphabet():
    numbers = (0, 25, 26, 51, 52, 701, 702)
    assert [number_in_letters(n) for n in numbers] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_a_setting_is_written_as_the_command_line_takes_it():
    values = [True, None, 0.5, "layer3", [0, 1]]
    assert [setting_text(v) for v in values] == ["true", "null", "0.5", "layer3", "[0, 1]"]

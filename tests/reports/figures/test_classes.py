import re

from evoreplay.reports.figures.classes import class_colour, class_legend
from evoreplay.reports.figures.colours import RAMP


def test_up_to_ten_classes_have_a_colour_of_their_own_and_a_name_in_the_legend():
    assert len({class_colour(label, 10) for label in range(10)}) == 10
    legend = class_legend(3)
    assert re.findall("class [0-9]+", legend) == ["class 0", "class 1", "class 2"]
    assert all(class_colour(label, 3) in legend for label in range(3))


def test_more_classes_lie_along_a_ramp_of_which_the_legend_names_the_ends():
    assert (class_colour(0, 11), class_colour(10, 11)) == (RAMP[0], RAMP[-1])
    assert len({class_colour(label, 100) for label in range(100)}) == 100
    legend = class_legend(100)
    assert re.findall("class [0-9]+", legend) == ["class 0", "class 99"]
    assert all(colour in legend for colour in RAMP)

import itertools

import numpy as np
import pytest

from evoreplay.reports.figures.classes import SPARE
from evoreplay.reports.figures.colours import (
    DARK_PAPER,
    DARK_SERIES,
    HEAT,
    PAPER,
    SERIES,
    contrast,
    mixed,
    readable_on,
    styles_of,
)

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}


def linear(colour):
    c = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("palette", [SERIES, DARK_SERIES], ids=["by day", "by night"])
def test_no_two_colours_of_lines_look_alike_to_anyone(palette, vision):
    places = [lab(VISION[vision] @ linear(colour)) for colour in palette]
    nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(places, 2))
    assert nearest > (40 if vision == "normal" else 20)


def test_lines_and_dots_stand_out_from_the_page():
    for palette, paper in ((SERIES, PAPER), (DARK_SERIES, DARK_PAPER)):
        assert min(contrast(colour, paper) for colour in (*palette, *SPARE)) >= 3


def test_numbers_on_every_shade_of_a_heat_map_can_be_read():
    for n in range(101):
        shade = mixed(HEAT, n / 100)
        assert contrast(shade, readable_on(shade)) >= 4.5


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_a_ramp_begins_and_ends_at_its_ends():
    ramp = ("#000000", "#ff0000", "#ffffff")
    assert [mixed(ramp, s) for s in (-1, 0, 0.25, 0.5, 1, 2)] == [
        *("#000000", "#000000", "#800000", "#ff0000", "#ffffff", "#ffffff")
    ]


def test_a_method_keeps_its_colour_and_its_rows_differ_in_dashes():
    rows = [("er", "er"), ("er+ld", "er+ld a"), ("mir", "mir"), ("er+ld", "er+ld b")]
    styles = styles_of(rows)
    assert styles["er", "er"].colour == 0
    first, second = styles["er+ld", "er+ld a"], styles["er+ld", "er+ld b"]
    assert first.colour == second.colour != styles["mir", "mir"].colour
    assert first.dash != second.dash


def test_more_methods_than_colours_are_told_apart_by_dashes():
    methods = [f"method{n}" for n in range(14)]
    styles = styles_of([(m, m) for m in methods])
    assert len(set(styles.values())) == 14
    assert all(style.colour > 0 for style in styles.values())

import pytest

from evoreplay.reports.figures.colours import contrast
from evoreplay.reports.theme import DARK, LIGHT, stylesheet


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["by day", "by night"])
def test_every_colour_of_text_can_be_read_on_the_page(colours):
    for name in ("ink", "soft", "link", "warn", "higher", "lower"):
        for background in ("paper", "shade"):
            assert contrast(colours[name], colours[background]) >= 4.5, (name, background)


def test_night_is_for_screens_only():
    assert "@media screen and (prefers-color-scheme: dark)" in stylesheet()

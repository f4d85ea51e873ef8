"""Charts, read back from their markup."""

from xml.etree import ElementTree

from evoreplay.reports.figures.colours import Style

PLAIN = Style(1, None)


def drawn(markup):
    """The first picture of some markup."""
    return ElementTree.fromstring(markup[: markup.index("</svg>") + 6])


def points_of(element):
    """The corners of a line or an area."""
    return [tuple(map(float, p.split(","))) for p in element.attrib["points"].split()]

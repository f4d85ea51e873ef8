from evoreplay.reports.figures.differences import Difference, differences_chart
from evoreplay.reports.statistics import summary
from shared.pictures import PLAIN, drawn


def test_a_difference_that_is_not_shown_has_a_hollow_dot():
    entries = [
        Difference("shown", PLAIN, summary([1.0, 1.1, 1.2]), "higher than er"),
        Difference("not shown", PLAIN, summary([-1.0, 1.1, 1.2]), "no difference shown"),
    ]
    root = drawn(differences_chart(entries, x_title="x", description="d"))
    dots = [e.attrib["class"] for e in root.iter("circle")]
    assert dots == ["dot", "dot hollow"]
    zero = [e for e in root if e.attrib.get("class") == "zero"]
    assert len(zero) == 1

from evoreplay.reports.figures.memory_map import SIDE, memory_map
from shared.pictures import drawn


def test_a_map_fits_its_square_on_one_scale():
    markup = memory_map([(0.0, 0.0), (10.0, 0.0), (0.0, 5.0)], [0, 0, 1], 2, "d")
    root = drawn(markup)
    first, second = [e.attrib["d"] for e in root if e.attrib.get("class") == "dots"]
    assert first == "M8 54h0M192 54h0"
    assert second == "M8 146h0"
    assert [e.text for e in root.iter("text")] == ["0", "1"]
    assert SIDE == 200


def test_a_map_of_a_hundred_classes_has_colours_along_a_ramp_and_no_numbers():
    root = drawn(memory_map([(0.0, 0.0), (1.0, 1.0)], [0, 99], 100, "d"))
    colours = [e.attrib["style"] for e in root if e.attrib.get("class") == "dots"]
    assert colours == ["stroke:#fde725", "stroke:#440154"]
    assert not list(root.iter("text"))

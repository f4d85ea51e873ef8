import pytest
from PIL import Image

import evoreplay as ev
from shared.short_stream import batches, learner


@pytest.mark.parametrize("name", ["curve.png", "curve.svg", "curve.SVG"])
def test_a_plot_is_a_picture_and_the_same_for_the_same_steps(tmp_path, name):
    steps = list(ev.prequential(learner(), batches(), window=10))
    path = ev.plot_prequential(steps, tmp_path / name)
    first = path.read_bytes()
    assert ev.plot_prequential(iter(steps), tmp_path / name).read_bytes() == first
    if name.endswith("png"):
        image = Image.open(path)
        assert image.size == (1080, 480)
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20)}
        assert (0, 127, 255) in colours
    else:
        assert b"<svg" in first
    other = ev.plot_prequential(steps[:4], tmp_path / name)
    assert other.read_bytes() != first
    assert ev.plot_prequential(steps[:1], tmp_path / name).exists()


def test_a_plot_of_nothing_or_of_a_strange_kind_is_refused(tmp_path):
    steps = list(ev.prequential(learner(), batches()))
    with pytest.raises(ev.UserError, match="there is no step to draw"):
        ev.plot_prequential([], tmp_path / "curve.png")
    with pytest.raises(ev.UserError, match=r"ends in \.png or \.svg"):
        ev.plot_prequential(steps, tmp_path / "curve.jpeg")
    with pytest.raises(ev.UserError, match="give another file"):
        ev.plot_prequential(steps, tmp_path / "nowhere" / "curve.png")
    assert list(tmp_path.iterdir()) == []

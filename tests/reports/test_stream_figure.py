import io

import torch
from PIL import Image

from evoreplay import class_split
from evoreplay.reports.stream_figure import class_shares, stream_png


def make(classes=10):
    y = torch.arange(classes).repeat_interleave(40)
    pools = list(torch.arange(len(y)).split(80))
    return class_split(y, y, pools, batch_size=10, generator=torch.Generator())


def test_shares_sum_to_one_and_belong_to_their_segments():
    shares = class_shares(make(), 10, windows=5)
    assert shares.shape == (5, 10)
    assert abs(shares.sum(axis=1) - 1).max() < 1e-12
    assert shares[0].tolist() == [0.5, 0.5] + [0.0] * 8


def test_the_picture_is_the_same_for_the_same_stream():
    for classes in (10, 100):
        first, second = (stream_png(make(classes), classes, "a stream") for _ in range(2))
        assert first == second
        image = Image.open(io.BytesIO(first))
        assert image.size == (1080, 480)
        assert len(image.convert("RGB").getcolors(1 << 20)) > 100

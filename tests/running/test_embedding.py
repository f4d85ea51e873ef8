import pytest
import torch

from evoreplay.running.embedding import embedding


def test_a_map_keeps_groups_apart_and_is_the_same_again():
    generator = torch.Generator().manual_seed(0)
    groups = torch.arange(2).repeat_interleave(30)
    features = torch.randn(60, 8, generator=generator) + 20 * groups[:, None]
    points = embedding(features)
    assert torch.equal(points, embedding(features))
    centres = [points[groups == g].mean(dim=0) for g in (0, 1)]
    widths = [float((points[groups == g] - centres[g]).norm(dim=1).mean()) for g in (0, 1)]
    assert (centres[0] - centres[1]).norm() > 2 * max(widths)


@pytest.mark.parametrize("features", [torch.ones(3, 2), torch.ones(50, 2), torch.rand(9, 2) / 0])
def test_nothing_to_map_is_no_error(features):
    assert embedding(features).abs().sum() == 0

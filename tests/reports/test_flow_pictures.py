import pytest
import torch
from torch.nn.functional import cross_entropy

from evoreplay.reports.flow_pictures import FLOWS, flow_positions, two_classes


@pytest.mark.parametrize("name", FLOWS)
def test_evolved_points_are_harder_from_moment_to_moment(name):
    model, labels, moments = flow_positions(name)
    with torch.no_grad():
        losses = [float(cross_entropy(model(points), labels)) for points in moments]
    assert losses == sorted(losses)
    assert losses[2] > 2 * losses[0]
    assert losses[0] < 0.3  # the network has learned them
    again = flow_positions(name)[2]
    assert all(torch.equal(a, b) for a, b in zip(moments, again, strict=True))


def test_the_two_classes_are_half_circles():
    x, y = two_classes(500, torch.Generator().manual_seed(0))
    centres = torch.tensor([[0.0, 0.0], [1.0, 0.5]])
    radius = (x - centres[y]).norm(dim=1)
    assert abs(float(radius.mean()) - 1) < 0.02
    assert float(x[y == 0, 1].min()) > -0.4
    assert float(x[y == 1, 1].max()) < 0.9

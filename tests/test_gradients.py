import torch
from torch import nn

from evoreplay.gradients import named_gradients


def test_only_trained_and_used_parameters_have_a_gradient_and_grad_fields_stay():
    model = nn.ModuleDict({"used": nn.Linear(2, 2), "unused": nn.Linear(2, 2)})
    model["used"].bias.requires_grad_(False)
    x = torch.randn(3, 2)
    found = named_gradients(model, model["used"](x).sum())
    assert list(found) == ["used.weight"]
    torch.testing.assert_close(found["used.weight"], x.sum(dim=0).expand(2, 2))
    assert all(p.grad is None for p in model.parameters())

import copy

import pytest
import torch
from torch import nn

from evoreplay.benchmarks.naive import NaiveReplay, scaled


def make():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 6), nn.Softplus(), nn.Linear(6, 3))
    x = torch.randint(256, (60, 1, 3, 4), dtype=torch.uint8)
    return NaiveReplay(model, x, torch.arange(60) % 3, lr=0.05), x[:5], torch.arange(5) % 3


@pytest.mark.parametrize("step", ["er", "er_langevin", "mir"])
def test_every_naive_step_learns(step):
    naive, x, y = make()
    before = copy.deepcopy(naive.model.state_dict())
    loss = [nn.functional.cross_entropy(naive.model(scaled(x)), y).item()]
    for _ in range(300):
        getattr(naive, step)(x, y)
    loss.append(nn.functional.cross_entropy(naive.model(scaled(x)), y).item())
    assert loss[1] < loss[0]
    assert any(not torch.equal(before[k], v) for k, v in naive.model.state_dict().items())


def test_the_naive_evolution_step_is_ours_up_to_noise():
    from evoreplay import Langevin, MemoryEnergy

    naive, x, y = make()
    inputs = scaled(x)
    before = copy.deepcopy(naive.model.state_dict())
    found = naive._langevin(inputs, inputs, y, 0.01)
    noise = torch.randn(inputs.shape, generator=torch.Generator().manual_seed(0))
    found = found - (2 * 0.01) ** 0.5 * noise
    # textbook code moves the parameters there and back again: only nearly where they were
    for name, value in naive.model.state_dict().items():
        torch.testing.assert_close(value, before[name], atol=1e-6, rtol=1e-5)
    field = MemoryEnergy(mode="central").bind(naive.model, inputs, y)
    ours = Langevin(steps=1, rate=0.01, temperature=0)
    expected = ours.evolve(inputs, field, generator=torch.Generator())
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-3)

from typing import NamedTuple

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from evoreplay import MLP
from evoreplay.attacks import InPixelSpace
from evoreplay.datasets import load_dataset


class Target(NamedTuple):
    net: nn.Module
    """Pixels in [0, 1] to logits, in eval mode."""
    x: torch.Tensor
    y: torch.Tensor


class Shifted(nn.Module):
    """A model whose logits are scaled and moved, which changes no decision."""

    def __init__(self, net, by=0.0, times=1.0):
        super().__init__()
        self.net, self.by, self.times = net, by, times

    def forward(self, x):
        return self.times * self.net(x) + self.by


@pytest.fixture(scope="session")
def digits():
    """A trained network and 500 digits that it has not seen, a few of them misclassified."""
    data = load_dataset("digits")
    pixels, y = data.train_x.float() / 255, data.train_y
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = InPixelSpace(MLP(64, 10))
        order = torch.randperm(len(y))
        train, test = order[500:], order[:500]
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for _ in range(20):
            for batch in train[torch.randperm(len(train))].split(50):
                optimizer.zero_grad()
                cross_entropy(net(pixels[batch]), y[batch]).backward()
                optimizer.step()
    net.zero_grad()
    return Target(net.eval(), pixels[test], y[test])


@pytest.fixture
def shifted():
    return Shifted


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)

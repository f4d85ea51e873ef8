"""The reference: replay and its evolution as a first version would have them.

Float32, contiguous layout, textbook code: evolution computes (and throws away) the gradients of all
parameters, the dot product is a central difference, MIR copies the model.
"""

from __future__ import annotations

import copy
import math

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


class NaiveReplay:
    """Experience replay, with an optional Langevin flow or interfered retrieval."""

    def __init__(
        self, model: nn.Module, x: Tensor, y: Tensor, *, lr: float = 0.1, size: int = 10
    ) -> None:
        """`x`, `y` is the memory, as uint8 images."""
        self.model, self.x, self.y = model, x, y
        self.lr, self.size = lr, size
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, foreach=False)
        self.generator = torch.Generator().manual_seed(0)

    def er(self, x: Tensor, y: Tensor) -> None:
        """One step of experience replay."""
        self._step(x, y, *self._drawn(self.size))

    def er_langevin(self, x: Tensor, y: Tensor, *, steps: int = 5, rate: float = 0.01) -> None:
        """The same with the replayed minibatch evolved, the paper's recipe."""
        replay, labels = self._drawn(self.size)
        evolved = replay
        for _ in range(steps):
            evolved = self._langevin(evolved, replay, labels, rate)
        self._step(x, y, evolved, labels)

    def mir(self, x: Tensor, y: Tensor, *, candidates: int = 50) -> None:
        """The most interfered of the candidates, found with a copy of the model."""
        pool, labels = self._drawn(candidates)
        stepped = copy.deepcopy(self.model)
        optimizer = torch.optim.SGD(stepped.parameters(), lr=self.lr, foreach=False)
        optimizer.zero_grad()
        cross_entropy(stepped(scaled(x)), y).backward()
        optimizer.step()
        with torch.no_grad():
            before = cross_entropy(self.model(pool), labels, reduction="none")
            after = cross_entropy(stepped(pool), labels, reduction="none")
        worst = (after - before).topk(self.size).indices
        self._step(x, y, pool[worst], labels[worst])

    def _step(self, x: Tensor, y: Tensor, replay: Tensor, labels: Tensor) -> None:
        self.optimizer.zero_grad()
        loss = cross_entropy(self.model(scaled(x)), y) + cross_entropy(self.model(replay), labels)
        loss.backward()
        self.optimizer.step()

    def _drawn(self, count: int) -> tuple[Tensor, Tensor]:
        chosen = torch.randperm(len(self.x), generator=self.generator)[:count]
        return scaled(self.x[chosen]), self.y[chosen]

    def _langevin(self, x: Tensor, raw: Tensor, y: Tensor, rate: float) -> Tensor:
        """One evolution step with the central difference of the dot product."""
        parameters = list(self.model.parameters())
        self.optimizer.zero_grad()
        cross_entropy(self.model(raw), y).backward()
        reference = [p.grad.clone() for p in parameters if p.grad is not None]
        norm = float(torch.cat([g.flatten() for g in reference]).norm())
        reach = 0.01 / norm if norm > 0 else 0.01
        gradients = []
        for distance in (reach, -2 * reach, reach):
            with torch.no_grad():
                for p, g in zip(parameters, reference, strict=True):
                    p.add_(g, alpha=distance)
            inputs = x.detach().clone().requires_grad_()
            self.optimizer.zero_grad()
            cross_entropy(self.model(inputs), y, reduction="sum").backward()
            assert inputs.grad is not None
            gradients.append(inputs.grad)
        ahead, behind, here = gradients
        ascent = here + 0.003 * (ahead - behind) / (2 * reach)
        noise = torch.randn(x.shape, generator=self.generator)
        return x + rate * ascent + math.sqrt(2 * rate) * noise


def scaled(x: Tensor) -> Tensor:
    """Images of 0..255 to [-1, 1]."""
    return x.float() / 127.5 - 1

"""Parameter gradients by name."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def named_gradients(model: nn.Module, loss: Tensor) -> dict[str, Tensor]:
    """The gradient of `loss` for every trained parameter that it depends on; `grad` stays."""
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    found = torch.autograd.grad(loss, list(trained.values()), allow_unused=True)
    return {name: g for name, g in zip(trained, found, strict=True) if g is not None}

"""What all attacks share: what they are given, what they return, and that they leave no trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from evoreplay.errors import NonFiniteLossError, require
from evoreplay.traceless import buffers_kept, evaluating


class Attacked(NamedTuple):
    """What became of each example."""

    x: Tensor
    """The example that fools the model; the clean one where none was found or none was needed."""
    fooled: Tensor
    """Whether the model is wrong on `x`: from the start, or by the attack."""
    distance: Tensor
    """From the clean example in the attack's norm; infinite where the model was not fooled."""

    @property
    def accuracy(self) -> float:
        """The share of examples on which the model stays right."""
        return float((~self.fooled).double().mean())


class Attack(Protocol):
    """A way to look for examples near given ones on which a model is wrong."""

    def attack(
        self, model: nn.Module, x: Tensor, y: Tensor, *, generator: torch.Generator
    ) -> Attacked:
        """Try to fool `model`, which maps pixels in [0, 1] to logits, on `x` with labels `y`."""


@contextmanager
def under_attack(model: nn.Module) -> Iterator[None]:
    """Eval mode with gradients; afterwards modes, buffers and the random state are as before."""
    with buffers_kept(model.modules()), evaluating(model), torch.enable_grad():
        yield


def checked(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The examples, if they are pixels with a label each."""
    require(
        x.dtype.is_floating_point,
        f"examples have type {x.dtype}; give floats in [0, 1], for instance x / 255",
    )
    require(
        y.shape == (len(x),),
        f"{len(x)} examples came with labels of shape {tuple(y.shape)}; give one label each",
    )
    if len(x) > 0:
        low, high = float(x.min()), float(x.max())
        require(
            low >= 0 and high <= 1,
            f"examples lie in [{low:g}, {high:g}]; give pixels in [0, 1] and the model "
            "as attacks.InPixelSpace(model, low=..., high=...)",
        )
    return x.detach(), y


def logits_of(model: nn.Module, x: Tensor) -> Tensor:
    """In float32 at least; not a number is an error, because nothing found with it counts."""
    logits: Tensor = model(x)
    logits = logits if logits.dtype == torch.float64 else logits.float()
    require(
        logits.dim() == 2 and logits.shape[1] >= 2,
        f"the model gives outputs of shape {tuple(logits.shape)}; give one that has a row of two "
        "or more logits for each example",
    )
    if not bool(torch.isfinite(logits.detach()).all()):
        raise NonFiniteLossError(
            "the model's logits are infinite or not a number; an attack on it would say nothing"
        )
    return logits


def misclassified(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Where the model is wrong, without gradients."""
    if len(x) == 0:
        return torch.zeros(0, dtype=torch.bool, device=x.device)
    with torch.no_grad():
        return logits_of(model, x).argmax(dim=1) != y


def others(logits: Tensor, y: Tensor) -> Tensor:
    """The logits with that of the label at minus infinity."""
    return logits.scatter(1, y[:, None], -torch.inf)


def own(logits: Tensor, y: Tensor) -> Tensor:
    """The logit of each label."""
    return logits.gather(1, y[:, None]).squeeze(1)


def norms(difference: Tensor, norm: str) -> Tensor:
    """`linf` or `l2` of each row."""
    rows = difference.flatten(1)
    return rows.abs().amax(dim=1) if norm == "linf" else rows.square().sum(dim=1).sqrt()


def per_example(values: Tensor, like: Tensor) -> Tensor:
    """One value an example, shaped to multiply `like`."""
    return values.reshape(-1, *[1] * (like.dim() - 1))

"""What the parts of a learner offer and may ask: the protocols, small on purpose.

A memory keeps examples, a retrieval picks some, transforms change them, a flow evolves them on an
energy. None knows the others; a learner joins them and hands each a `Context`. A part of your own
needs the methods named here and nothing else (`evoreplay.checks` tells whether it has them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

Prepare = Callable[[Tensor], Tensor]
"""From an input as it is stored to an input of the model."""
EnergyGradient = Callable[[Tensor], Tensor]
"""The gradient of an energy U: particles of shape (N, ...) to a tensor of the same shape."""
State = dict[str, Any]
Parameters = Mapping[str, Tensor]
"""Parameters, or one tensor for each of them, by name."""


class LossGradient(NamedTuple):
    """The gradient of a minibatch's summed loss with respect to its inputs."""

    at: Tensor
    """The inputs."""
    value: Tensor
    """One gradient for each."""


class Gathered(NamedTuple):
    """Examples read from memory, one row for each index asked for."""

    x: Tensor
    """As they came, in their own type."""
    y: Tensor
    """Their labels."""
    delta: Tensor | None
    """What was written to them, float32, in the space that evolves; None before the first write."""
    writes: Tensor
    """How often each was written to."""


@dataclass(frozen=True)
class Batch:
    """A replayed minibatch on its way from memory to the loss, in the units of the model.

    Where the input itself evolves, `inputs` is what moves. Where the model is split, what moves is
    z = lift(inputs) + shift, and the inputs stay.
    """

    inputs: Tensor
    """What is replayed."""
    labels: Tensor
    """One for each input."""
    indices: Tensor
    """The memory slots they came from."""
    anchors: Tensor
    """The same examples as they came in the stream, without what was written to them since."""
    writes: Tensor
    """How often each slot was written to before."""
    companions: Tensor | None = None
    """Replayed beside the inputs, with the same labels (and shift), but never evolved."""
    shift: Tensor | None = None
    """How far z is from lift(inputs); None: not at all, or the input itself evolves."""


class Context(Protocol):
    """What a learner lets a part ask for during one step.

    No task id, and nothing of the other parts. Passes through the model leave it exactly as it is;
    unless said otherwise BatchNorm normalises by the batch, as in training.
    """

    @property
    def generator(self) -> torch.Generator:
        """The part's own source of randomness."""

    @property
    def memory(self) -> Memory:
        """The learner's memory, for a transform that keeps what it does."""

    @property
    def first_update(self) -> bool:
        """Whether this is the first of the updates for the incoming batch."""

    @property
    def stepped_parameters(self) -> Parameters:
        """Theta - lr * gradient of the stream loss: where a step on the stream alone would lead."""

    def prepared(self, x: Tensor) -> Tensor:
        """Inputs as stored to inputs of the model."""

    def examples(self, indices: Tensor) -> Batch:
        """What is in these slots, in the units of the model, with what was written to it."""

    def displaced(self, batch: Batch, displacement: Tensor) -> Batch:
        """The batch moved so far in the space that evolves; memory keeps it."""

    def losses(self, inputs: Tensor, labels: Tensor, at: Parameters | None = None) -> Tensor:
        """The loss of each example, at other parameters if given.

        The `inputs` of a batch that this context gave stand for the whole batch, with its shift;
        here and below.
        """

    def input_gradient(
        self, inputs: Tensor, labels: Tensor, at: Parameters | None = None
    ) -> Tensor:
        """The gradient of the mean loss with respect to what evolves: the inputs, or z.

        Other parameters, if given, are those of the head alone: z stays where it is.
        """

    def parameter_gradient(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """That with respect to all parameters, as one vector, BatchNorm in eval mode."""


@runtime_checkable
class Memory(Protocol):
    """What is kept of the stream."""

    capacity: int

    def __len__(self) -> int: ...
    def add(self, x: Tensor, y: Tensor, context: Context | None = None) -> None: ...
    def gather(self, indices: Tensor) -> Gathered: ...
    def write(self, indices: Tensor, delta: Tensor, *, counted: bool = True) -> None: ...
    def state_dict(self) -> State: ...
    def load_state_dict(self, state: State) -> None: ...


@runtime_checkable
class Retrieval(Protocol):
    """Which memory slots are replayed."""

    def select(self, memory: Memory, context: Context) -> Tensor: ...
    def state_dict(self) -> State: ...
    def load_state_dict(self, state: State) -> None: ...


@runtime_checkable
class Transform(Protocol):
    """What is done to the replayed examples before they evolve."""

    def apply(self, batch: Batch, context: Context) -> Batch: ...
    def state_dict(self) -> State: ...
    def load_state_dict(self, state: State) -> None: ...


@runtime_checkable
class Evolution(Protocol):
    """How replayed examples move; the flows of `evoreplay.evolution`."""

    @property
    def uses_energy(self) -> bool: ...
    def evolve(
        self, x: Tensor, energy_gradient: EnergyGradient, *, generator: torch.Generator
    ) -> Tensor: ...
    def state_dict(self) -> State: ...
    def load_state_dict(self, state: State) -> None: ...


@runtime_checkable
class Energy(Protocol):
    """Which way is harder: `bind(model, x_raw, y)` gives the gradient for one minibatch.

    One with a weight `alignment` of the dot product of gradients above 0 is also given the
    `reference_gradient`, g'.
    """

    @property
    def bind(self) -> Callable[..., EnergyGradient]: ...


def alignment_of(energy: Energy) -> float:
    """Weight of the dot product of gradients; 0 for an energy that knows of none."""
    return float(getattr(energy, "alignment", 0.0))


def settings_of(part: object) -> dict[str, Any] | None:
    """The constructor arguments of one of our own parts; None where they are not plain data."""
    if not is_dataclass(part) or not type(part).__module__.startswith("evoreplay."):
        return None
    settings = {f.name: getattr(part, f.name) for f in fields(part) if f.init}
    plain = (str, int, float, bool, tuple, type(None))
    return settings if all(isinstance(v, plain) for v in settings.values()) else None

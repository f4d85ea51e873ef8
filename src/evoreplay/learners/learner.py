"""What every learner has: checked input, pure prediction, state that can be saved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from evoreplay.errors import NonFiniteLossError, UserError, require, unknown
from evoreplay.learners.rebuilding import described, rebuilt
from evoreplay.learners.step import Step
from evoreplay.learners.stopwatch import Watch, no_watch
from evoreplay.parts import Prepare, State
from evoreplay.random_state import BorrowedRandomState, named_generator, named_seed
from evoreplay.storage import newest_state, write_next_state
from evoreplay.traceless import device_of, evaluating, traceless

Precision = Literal["float32", "bfloat16"]
Callback = Callable[["Learner", Step], object]
"""Called with the learner and what it did, after each `observe`."""


def scaled_to_unit_range(x: Tensor) -> Tensor:
    """The default `prepare`: uint8 to [-1, 1], anything else as it is."""
    return x.float() / 127.5 - 1 if x.dtype == torch.uint8 else x


class Learner(ABC):
    """A model that learns from a stream of labelled batches, one `observe` after the other."""

    generator_names: ClassVar[tuple[str, ...]] = ()
    """What the learner draws for, each from a generator of its own."""
    part_names: ClassVar[tuple[str, ...]] = ()
    """Attributes that are parts, each with a state of its own."""
    option_names: ClassVar[tuple[str, ...]] = ("updates", "precision")
    """Attributes that are plain constructor arguments."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        prepare: Prepare | None = None,
        seed: int = 0,
        updates: int = 1,
        precision: Precision = "float32",
    ) -> None:
        require(
            isinstance(updates, int) and updates >= 1,
            f"updates is {updates!r}; give a whole number, 1 or more",
        )
        require(
            precision in ("float32", "bfloat16"),
            f"precision is {precision!r}; give 'float32' or 'bfloat16'",
        )
        self.model = model
        self.optimizer = optimizer
        self.prepare: Prepare = prepare or scaled_to_unit_range
        self.updates = updates
        self.precision = precision
        self.watch: Watch = no_watch
        self.callbacks: list[Callback] = []
        self.steps = 0
        self.classes: int | None = None
        self._kind: tuple[list[int], str] | None = None
        self._dropout = BorrowedRandomState(named_seed(seed, "dropout"))
        self.generators = {name: named_generator(seed, name) for name in self.generator_names}

    def observe(self, x: Tensor, y: Tensor) -> Step:
        """Learn from one batch of the stream, then call the `callbacks` in their order.

        The step is complete when they are called: an exception in one of them reaches the caller,
        those after it are not called, and the learner can be saved or go on.
        """
        x, y = self.checked(x, y)
        self.model.train()
        with self._dropout.borrowed(self.device):
            step = self._learn(x, y)
        self.steps += 1
        # a copy, because a callback may take itself out
        for callback in tuple(self.callbacks):
            callback(self, step)
        return step

    @abstractmethod
    def _learn(self, x: Tensor, y: Tensor) -> Step:
        """`observe`, after the checks."""

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return device_of(self.model)

    def logits(self, x: Tensor, *, chunk: int = 256) -> Tensor:
        """Scores of all classes, without any change to the learner."""
        with evaluating(self.model), self._autocast():
            parts = [self.model(self._prepared(part)).float() for part in x.split(chunk)]
        return torch.cat(parts).cpu()

    def predict_proba(self, x: Tensor) -> Tensor:
        """Probabilities of all classes."""
        return self.logits(x).softmax(dim=1)

    def predict(self, x: Tensor) -> Tensor:
        """The most probable label of each example."""
        return self.logits(x).argmax(dim=1)

    def state_dict(self) -> State:
        """All that a continued run depends on."""
        return {
            "model": dict(self.model.state_dict()),
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
            "classes": self.classes,
            "kind": self._kind,
            "dropout": self._dropout.get_state(),
            "generators": {name: g.get_state() for name, g in self.generators.items()},
            **{name: part.state_dict() for name, part in self._named_parts()},
        }

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps, self.classes, self._kind = state["steps"], state["classes"], state["kind"]
        self._dropout.set_state(state["dropout"])
        for name, generator in self.generators.items():
            generator.set_state(state["generators"][name])
        for name, part in self._named_parts():
            part.load_state_dict(state[name])

    def _named_parts(self) -> Iterator[tuple[str, Any]]:
        """Every part that is there and has a state; transforms are numbered."""
        for role in self.part_names:
            part = getattr(self, role)
            if isinstance(part, tuple):
                yield from ((f"{role} {n}", one) for n, one in enumerate(part))
            elif part is not None and (role != "energy" or hasattr(part, "state_dict")):
                # an energy is a formula: `bind` is all that it must have
                yield role, part

    def save(self, path: str | Path) -> Path:
        """Write the whole state into the folder `path`; an earlier save there stays until then."""
        state = {"learner": type(self).__name__, "settings": self.settings(), **self.state_dict()}
        return write_next_state(Path(path), state)

    @classmethod
    def load(
        cls, path: str | Path, *, model: nn.Module, optimizer: torch.optim.Optimizer, **given: Any
    ) -> Self:
        """A learner that goes on where `save` was called.

        `model` and `optimizer` are of the same kind as before and get their state back. Parts and
        functions of your own are passed in again under their names; ours are made anew, with the
        options they had unless others are given.
        """
        found = newest_state(Path(path))
        if found is None:
            raise UserError(f"{path} holds no whole state of a learner; give a folder from save()")
        _, state = found
        require(
            state["learner"] == cls.__name__,
            f"{path} holds the state of a {state['learner']}; load it with that class",
        )
        settings = state["settings"]
        allowed = {"prepare", *cls.part_names, *cls.option_names}
        for name in given:
            if name not in allowed:
                raise unknown("argument of load", name, allowed)
        require(
            settings["prepare"] is None or "prepare" in given,
            "the saved learner has a prepare of its own; pass it again: load(..., prepare=)",
        )
        parts = {r: rebuilt(r, d, given) for r, d in settings["parts"].items()}
        learner = cls(model, optimizer, **(settings["options"] | given | parts))
        learner.load_state_dict(state)
        return learner

    def settings(self) -> State:
        """Options, and parts as far as they are plain data."""
        return {
            "prepare": None if self.prepare is scaled_to_unit_range else "own",
            "parts": {role: described(getattr(self, role)) for role in self.part_names},
            "options": {name: getattr(self, name) for name in self.option_names},
        }

    def _prepared(self, x: Tensor) -> Tensor:
        return self.prepare(x.to(self.device, non_blocking=True))

    @contextmanager
    def _autocast(self, enabled: bool = True) -> Iterator[None]:
        use = enabled and self.precision == "bfloat16"
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=use):
            yield

    def _loss(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy of one forward pass."""
        with self._autocast():
            logits = self.model(inputs)
        return cross_entropy(logits.float(), labels)

    def _trainable(self, inputs: Tensor) -> bool:
        """Whether the model can take the batch: BatchNorm needs more than one value a channel."""
        if len(inputs) > 1:
            return True
        try:
            with traceless(self.model), torch.no_grad():
                self.model(inputs)
        except ValueError as error:
            if "more than 1 value per channel" in str(error):
                return False
            raise
        return True

    def _step_optimizer(self, losses: dict[str, Tensor]) -> None:
        """One optimiser step, unless a loss or a gradient is not finite."""
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        norm = torch.nn.utils.get_total_norm(gradients)
        if not bool(torch.isfinite(norm)):
            found = ", ".join(f"{name} {float(loss.detach()):g}" for name, loss in losses.items())
            raise NonFiniteLossError(
                f"the loss or its gradient is not finite at step {self.steps} ({found}); the "
                "parameters are those before this step (BatchNorm's statistics have seen it: go on "
                "from a save); lower the learning rate or the rate"
            )
        self.optimizer.step()

    def checked(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The batch, if it can be learned; a message that says why not otherwise."""
        x, y = torch.as_tensor(x), torch.as_tensor(y)
        require(x.dim() >= 1 and len(x) > 0, "the batch is empty; give at least one example")
        require(
            y.shape == (len(x),),
            f"{len(x)} examples came with labels of shape {tuple(y.shape)}; give one label each",
        )
        require(
            not y.dtype.is_floating_point and y.dtype != torch.bool,
            f"labels have type {y.dtype}; give integers",
        )
        require(
            not x.dtype.is_floating_point or bool(torch.isfinite(x).all()),
            "the batch has infinite or NaN inputs; clean it or drop it before observe()",
        )
        kind = (list(x.shape[1:]), str(x.dtype))
        known = self._kind or kind
        require(
            kind == known,
            f"a batch of shape {tuple(kind[0])} and type {kind[1]} came after "
            f"{tuple(known[0])} and {known[1]}; a stream keeps to one kind",
        )
        if self.classes is None:
            with evaluating(self.model):
                self.classes = self.model(self._prepared(x[:1])).shape[1]
        low, high = int(y.min()), int(y.max())
        wrong = low if low < 0 else high
        require(
            low >= 0 and high < self.classes,
            f"label {wrong} is outside the model's {self.classes} classes; "
            "give the model a wider head or map the labels",
        )
        self._kind = kind
        return x, y.long()

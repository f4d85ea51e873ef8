"""Slots of examples: raw as they came, and what was written to them since."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from evoreplay.errors import require
from evoreplay.parts import Gathered, State


@dataclass
class Slots:
    """Room for `capacity` examples and their labels.

    Examples keep their own type (uint8 images stay uint8). What is written to them lives in a
    float32 delta beside them, so rounding never erases it and the raw example stays as the anchor;
    the delta exists only from the first write on.
    """

    capacity: int
    """How many examples are kept at the most."""

    held: int = field(default=0, init=False)
    _x: Tensor | None = field(default=None, init=False, repr=False)
    _y: Tensor = field(init=False, repr=False)
    _delta: Tensor | None = field(default=None, init=False, repr=False)
    _writes: Tensor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require(
            isinstance(self.capacity, int) and self.capacity >= 1,
            f"memory capacity is {self.capacity!r}; give a whole number, 1 or more",
        )
        self._y = torch.zeros(self.capacity, dtype=torch.int64)
        self._writes = torch.zeros(self.capacity, dtype=torch.int64)

    def __len__(self) -> int:
        return self.held

    def put(self, slots: Tensor, x: Tensor, y: Tensor) -> None:
        """Fill the slots, each named once; what they held, and its delta, is gone."""
        if len(slots) == 0:
            return
        if self._x is None:
            self._x = torch.zeros((self.capacity, *x.shape[1:]), dtype=x.dtype)
        require(
            x.shape[1:] == self._x.shape[1:] and x.dtype == self._x.dtype,
            f"an example of shape {tuple(x.shape[1:])} and type {x.dtype} does not fit a memory of "
            f"{tuple(self._x.shape[1:])} and {self._x.dtype}; give examples of one kind",
        )
        self._x[slots] = x.cpu()
        self._y[slots] = y.long().cpu()
        self._writes[slots] = 0
        if self._delta is not None:
            self._delta[slots] = 0
        self.held = max(self.held, int(slots.max()) + 1)

    def gather(self, indices: Tensor) -> Gathered:
        """The examples in these slots, as copies."""
        require(self._x is not None, "the memory is empty; add examples before gathering any")
        assert self._x is not None
        delta = None if self._delta is None else self._delta[indices]
        return Gathered(self._x[indices], self._y[indices], delta, self._writes[indices])

    def write(self, indices: Tensor, delta: Tensor, *, counted: bool = True) -> None:
        """Set the deltas of these slots; the raw examples stay.

        A write that is not `counted` does not age the example.
        """
        if self._delta is None:
            # zeros are not resident until they are touched: untouched slots cost no memory
            self._delta = torch.zeros((self.capacity, *delta.shape[1:]))
        self._delta[indices] = delta.detach().float().cpu()
        if counted:
            self._writes[indices] += 1

    def state_dict(self) -> State:
        """All that is held."""
        held = slice(0, self.held)
        return {
            "capacity": self.capacity,
            "x": None if self._x is None else self._x[held].clone(),
            "y": self._y[held].clone(),
            "delta": None if self._delta is None else self._delta[held].clone(),
            "writes": self._writes[held].clone(),
        }

    def load_state_dict(self, state: State) -> None:
        """The counterpart of `state_dict`."""
        require(
            state["capacity"] == self.capacity,
            f"the saved memory has capacity {state['capacity']}, this one {self.capacity}; "
            "make it with the saved capacity",
        )
        self.held = len(state["y"])
        self._y[: self.held] = state["y"]
        self._writes[: self.held] = state["writes"]
        self._x = self._padded(state["x"])
        self._delta = self._padded(state["delta"])

    def _padded(self, rows: Tensor | None) -> Tensor | None:
        if rows is None:
            return None
        full = torch.zeros((self.capacity, *rows.shape[1:]), dtype=rows.dtype)
        full[: len(rows)] = rows
        return full

"""One seed, many named generators; the global random state only ever borrowed.

A seed and a name give a generator of their own, so drawing more in one place (another flow, say)
changes nothing in another (the stream, the initial weights). Where torch takes no generator,
initialisation and dropout, the global state is borrowed and put back. This is the only file that
seeds it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


def named_seed(seed: int, name: str) -> int:
    """A 63-bit seed that depends on both, the same on every machine."""
    digest = hashlib.sha256(f"evoreplay/{seed}/{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def named_generator(seed: int, name: str) -> torch.Generator:
    """The CPU generator that `seed` has for `name`."""
    return torch.Generator().manual_seed(named_seed(seed, name))


@contextmanager
def preserved_random_state(device: torch.device) -> Iterator[None]:
    """What is drawn inside from the global state of the CPU and `device` is not seen outside."""
    if device.type == "cpu":
        with torch.random.fork_rng(devices=[]):
            yield
    else:
        with torch.random.fork_rng(devices=[device], device_type=device.type):
            yield


@contextmanager
def seeded_random_state(seed: int, device: torch.device) -> Iterator[None]:
    """The global state begins at `seed` inside and is as before outside."""
    with preserved_random_state(device):
        torch.manual_seed(seed)
        yield


class BorrowedRandomState:
    """A global random state of one's own, kept between uses: the randomness of dropout.

    Each `with state.borrowed(device)` goes on where the last one stopped. On the CPU that is exact;
    on an accelerator the state is seeded anew for each use from the CPU's.
    """

    def __init__(self, seed: int) -> None:
        self._state: Tensor = torch.Generator().manual_seed(seed).get_state()

    @contextmanager
    def borrowed(self, device: torch.device) -> Iterator[None]:
        """Use it as the global state."""
        with preserved_random_state(device):
            torch.set_rng_state(self._state)
            if device.type != "cpu":
                torch.manual_seed(int(torch.randint(2**62, ())))
            try:
                yield
            finally:
                self._state = torch.get_rng_state()

    def get_state(self) -> Tensor:
        """As bytes in a tensor."""
        return self._state.clone()

    def set_state(self, state: Tensor) -> None:
        """The counterpart of `get_state`."""
        self._state = state.clone()

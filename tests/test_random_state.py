import subprocess
import sys

import torch

from evoreplay.random_state import (
    BorrowedRandomState,
    named_generator,
    named_seed,
    preserved_random_state,
    seeded_random_state,
)

CPU = torch.device("cpu")


def test_a_seed_and_a_name_give_the_same_numbers_on_every_machine():
    assert named_seed(0, "order") == 6085063513647198101
    assert named_seed(1, "order") != named_seed(0, "order") != named_seed(0, "init")
    draws = torch.rand(3, generator=named_generator(0, "order"))
    assert torch.equal(draws, torch.rand(3, generator=named_generator(0, "order")))


def test_the_global_state_is_borrowed_and_put_back():
    before = torch.get_rng_state()
    with preserved_random_state(CPU):
        torch.rand(5)
    with seeded_random_state(3, CPU):
        first = torch.rand(2)
    assert torch.equal(before, torch.get_rng_state())
    with seeded_random_state(3, CPU):
        assert torch.equal(first, torch.rand(2))


def test_a_borrowed_state_goes_on_where_it_stopped():
    whole, parts = BorrowedRandomState(1), BorrowedRandomState(1)
    with whole.borrowed(CPU):
        together = torch.rand(4)
    with parts.borrowed(CPU):
        first = torch.rand(2)
    copy = BorrowedRandomState(9)
    copy.set_state(parts.get_state())
    with copy.borrowed(CPU):
        second = torch.rand(2)
    assert torch.equal(together, torch.cat([first, second]))


def test_only_one_file_seeds_the_global_state():
    from pathlib import Path

    import evoreplay

    root = Path(evoreplay.__file__).parent
    seeding = [p.name for p in root.rglob("*.py") if "torch.manual_seed" in p.read_text()]
    assert seeding == ["random_state.py"]


def test_importing_the_package_draws_nothing_and_seeds_nothing():
    code = (
        "import torch; a = torch.get_rng_state(); import evoreplay, evoreplay.cli;"
        "assert torch.equal(a, torch.get_rng_state())"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

import pytest
import torch

from evoreplay import ReservoirMemory, UserError
from evoreplay.memory.slots import Slots


def test_uint8_images_stay_uint8_and_take_their_own_size():
    memory = Slots(100)
    memory.put(torch.arange(2), torch.full((2, 3, 84, 84), 200, dtype=torch.uint8), torch.zeros(2))
    assert memory._x.dtype == torch.uint8
    assert memory._x.nbytes == 100 * 3 * 84 * 84
    assert memory._delta is None


def test_ten_thousand_images_of_84_pixels_take_212_megabytes():
    memory = Slots(10_000)
    memory.put(torch.arange(1), torch.zeros(1, 3, 84, 84, dtype=torch.uint8), torch.zeros(1))
    assert round(memory._x.nbytes / 1e6) == 212


def test_a_delta_exists_from_the_first_write_on_and_survives_rounding():
    memory = Slots(4)
    memory.put(torch.arange(4), torch.zeros(4, 2, dtype=torch.uint8), torch.zeros(4))
    assert memory.gather(torch.tensor([1])).delta is None
    memory.write(torch.tensor([1]), torch.tensor([[1e-4, -1e-4]]))
    got = memory.gather(torch.tensor([1, 2]))
    assert torch.equal(got.delta, torch.tensor([[1e-4, -1e-4], [0.0, 0.0]]))
    assert got.writes.tolist() == [1, 0]


def test_a_replaced_example_takes_its_delta_with_it():
    memory = Slots(2)
    memory.put(torch.arange(2), torch.zeros(2, 1), torch.zeros(2))
    memory.write(torch.tensor([0, 1]), torch.ones(2, 1))
    memory.put(torch.tensor([1]), torch.full((1, 1), 9.0), torch.tensor([3]))
    got = memory.gather(torch.tensor([0, 1]))
    assert got.delta.tolist() == [[1.0], [0.0]]
    assert got.writes.tolist() == [1, 0]


def test_an_example_of_another_kind_is_refused():
    memory = Slots(2)
    memory.put(torch.arange(1), torch.zeros(1, 3), torch.zeros(1))
    with pytest.raises(UserError, match="does not fit a memory"):
        memory.put(torch.arange(1), torch.zeros(1, 4), torch.zeros(1))
    with pytest.raises(UserError, match="does not fit a memory"):
        memory.put(torch.arange(1), torch.zeros(1, 3, dtype=torch.uint8), torch.zeros(1))


def test_an_empty_memory_says_so_when_asked():
    with pytest.raises(UserError, match="memory is empty"):
        Slots(2).gather(torch.tensor([0]))


def test_a_state_of_another_capacity_is_refused():
    state = ReservoirMemory(3).state_dict()
    with pytest.raises(UserError, match="capacity 3"):
        ReservoirMemory(4).load_state_dict(state)

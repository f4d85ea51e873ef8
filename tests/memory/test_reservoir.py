from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evoreplay import ReservoirMemory, UserError
from evoreplay.checks import MEMORY_CHECKS


def drawing(seed):
    """All of a context that a reservoir asks for."""
    return SimpleNamespace(generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
def test_a_reservoir_passes_the_generic_checks(check):
    check(lambda: ReservoirMemory(20))
    check(lambda: ReservoirMemory(6))


def test_every_item_of_a_stream_is_kept_equally_often():
    items, capacity, seeds = 2000, 50, 1500
    kept = np.zeros(items)
    for seed in range(seeds):
        memory = ReservoirMemory(capacity)
        context = drawing(seed)
        numbers = torch.arange(items)
        for part in numbers.split(40):
            memory.add(part[:, None], torch.zeros_like(part), context)
        kept[memory.gather(torch.arange(capacity)).x.squeeze(1).numpy()] += 1
    assert kept.sum() == capacity * seeds
    # counts within a run are without replacement: their variance is (1 - M/n) of independent ones
    statistic = ((kept - kept.mean()) ** 2 / kept.mean()).sum() / (1 - capacity / items)
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], df=items - 1)
    assert low < statistic < high
    # and no drift from early to late items
    early, late = kept[: items // 2].sum(), kept[items // 2 :].sum()
    assert abs(early - late) < 4 * np.sqrt(kept.sum())


def test_item_n_enters_with_probability_capacity_over_n():
    capacity, number, seeds = 3, 12, 4000
    entered = 0
    for seed in range(seeds):
        memory = ReservoirMemory(capacity)
        context = drawing(seed)
        for item in range(number):
            memory.add(torch.tensor([[item]]), torch.tensor([0]), context)
        entered += number - 1 in memory.gather(torch.arange(capacity)).x
    expected = capacity / number
    assert abs(entered / seeds - expected) < 4 * (expected * (1 - expected) / seeds) ** 0.5


@settings(max_examples=60, deadline=None)
@given(
    capacity=st.integers(1, 12),
    batches=st.lists(st.integers(0, 30), max_size=8),
    seed=st.integers(0, 99),
)
def test_odd_sizes_never_lose_count_or_double_an_item(capacity, batches, seed):
    memory, context, offered = ReservoirMemory(capacity), drawing(seed), 0
    for size in batches:
        x = torch.arange(offered, offered + size)[:, None]
        memory.add(x, x.squeeze(1) % 7, context)
        offered += size
        assert memory.seen == offered
        assert len(memory) == min(capacity, offered)
    if len(memory) > 0:
        got = memory.gather(torch.arange(len(memory)))
        held = got.x.squeeze(1)
        assert len(set(held.tolist())) == len(held)
        assert torch.equal(held % 7, got.y)


def test_one_large_batch_is_a_reservoir_too():
    counts = np.zeros(20)
    for seed in range(3000):
        memory = ReservoirMemory(4)
        memory.add(torch.arange(20)[:, None], torch.zeros(20).long(), drawing(seed))
        counts[memory.gather(torch.arange(4)).x.squeeze(1).numpy()] += 1
    assert abs(counts / 3000 - 0.2).max() < 4 * (0.2 * 0.8 / 3000) ** 0.5


def test_without_a_learner_the_memory_decides_by_itself():
    first, second = ReservoirMemory(5), ReservoirMemory(5)
    for memory in (first, second):
        memory.add(torch.arange(100)[:, None], torch.zeros(100).long())
    slots = torch.arange(5)
    assert torch.equal(first.gather(slots).x, second.gather(slots).x)


@pytest.mark.parametrize("capacity", [0, -3, 2.5])
def test_a_capacity_that_holds_nothing_is_refused(capacity):
    with pytest.raises(UserError, match="give a whole number, 1 or more"):
        ReservoirMemory(capacity)

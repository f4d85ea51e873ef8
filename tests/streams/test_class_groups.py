import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evoreplay import UserError, class_groups
from evoreplay.streams import hold_out, indices_by_group


def test_groups_follow_label_order_and_are_as_equal_as_can_be():
    assert class_groups(10, 5) == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    assert [len(g) for g in class_groups(7, 5)] == [2, 2, 1, 1, 1]
    with pytest.raises(UserError, match="give 1 to 3"):
        class_groups(3, 4)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=200))
def test_each_group_gets_exactly_the_examples_of_its_classes(labels):
    labels = torch.tensor(labels)
    found = indices_by_group(labels, class_groups(10, 5))
    for number, indices in enumerate(found):
        expected = [i for i, y in enumerate(labels.tolist()) if y // 2 == number]
        assert indices.tolist() == expected


def test_what_is_held_out_is_disjoint_and_of_the_stated_share():
    pools = [torch.arange(100), torch.arange(100, 300)]
    kept, out = hold_out(pools, 0.05, torch.Generator().manual_seed(0))
    assert [len(part) for part in out] == [5, 10]
    for pool, a, b in zip(pools, kept, out, strict=True):
        assert torch.equal(torch.cat([a, b]).sort().values, pool)

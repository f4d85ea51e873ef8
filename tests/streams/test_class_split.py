import pytest
import torch

from evoreplay import UserError, class_groups, class_split
from evoreplay.streams import indices_by_group


def make(classes=10, per_class=53, tasks=5, seed=0, **options):
    y = torch.arange(classes).repeat(per_class)
    x = torch.arange(len(y))[:, None]
    pools = indices_by_group(y, class_groups(classes, tasks))
    generator = torch.Generator().manual_seed(seed)
    return class_split(x, y, pools, batch_size=10, generator=generator, **options)


@pytest.mark.parametrize(("classes", "tasks"), [(10, 5), (100, 20)])
def test_every_segment_holds_exactly_its_own_classes_once(classes, tasks):
    stream = make(classes, 53, tasks)
    batches = list(stream)
    assert len(batches) == len(stream) == stream.segment_ends[-1]
    start = 0
    for number, end in enumerate(stream.segment_ends):
        labels = torch.cat([y for _, y in batches[start:end]])
        width = classes // tasks
        assert labels.unique().tolist() == list(range(number * width, (number + 1) * width))
        # 53 a class: the last short batch is dropped
        assert len(labels) == width * 53 // 10 * 10
        start = end
    taken = torch.cat([x for x, _ in batches]).flatten()
    assert len(taken.unique()) == len(taken)


def test_order_depends_on_the_seed_alone():
    first, again, other = (list(make(seed=seed)) for seed in (0, 0, 1))
    assert all(torch.equal(a[0], b[0]) for a, b in zip(first, again, strict=True))
    assert any(not torch.equal(a[0], b[0]) for a, b in zip(first, other, strict=True))


def test_a_stream_can_be_entered_at_any_position():
    stream = make()
    whole = list(stream)
    for start in (0, 1, 17, len(stream)):
        rest = list(stream.batches(start))
        assert len(rest) == len(whole) - start
        assert all(torch.equal(a[0], b[0]) for a, b in zip(rest, whole[start:], strict=True))


def test_scale_takes_a_share_of_every_segment():
    assert make(scale=0.5).segment_ends == (5, 10, 15, 20, 25)
    assert make(scale=0.001).segment_ends == (1, 2, 3, 4, 5)


def test_a_scale_or_a_segment_without_a_batch_is_refused():
    with pytest.raises(UserError, match="scale is 0"):
        make(scale=0)
    with pytest.raises(UserError, match=r"scale is 1\.5"):
        make(scale=1.5)
    with pytest.raises(UserError, match="less than one batch of 10"):
        make(per_class=2)

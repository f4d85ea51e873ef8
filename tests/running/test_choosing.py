import torch

from evoreplay.running.choosing import balanced, evenly


def test_evenly_spaced_examples_are_few_and_different():
    chosen = evenly(torch.arange(10_000), 500)
    assert len(chosen.unique()) == 500
    assert torch.equal(evenly(torch.arange(30), 500), torch.arange(30))


def test_images_are_balanced_over_classes_and_always_the_same():
    labels = torch.tensor([2, 0, 0, 0, 1, 2, 0, 1, 2])
    assert balanced(labels, 3).tolist() == [0, 1, 4]
    assert balanced(labels, 5).tolist() == [0, 1, 2, 4, 7]
    assert balanced(labels, 9).tolist() == list(range(9))
    many = torch.randint(10, (5000,), generator=torch.Generator().manual_seed(0))
    assert many[balanced(many, 1000)].bincount().tolist() == [100] * 10

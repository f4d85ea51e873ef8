import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from evoreplay import UserError, from_iterable


def endless():
    number = 0
    while True:
        yield torch.full((2, 1), number), torch.tensor([0, 1])
        number += 1


def test_a_generator_that_never_ends_is_a_stream():
    stream = from_iterable(endless())
    for expected, (x, _) in zip(range(5), stream, strict=False):
        assert x[0, 0] == expected
    assert stream.position >= 5


def test_a_dataloader_and_a_list_of_arrays_are_streams():
    data = TensorDataset(torch.arange(6.0)[:, None], torch.arange(6))
    assert len(list(from_iterable(DataLoader(data, batch_size=4)))) == 2
    ((x, y),) = from_iterable([(np.ones((2, 3)), [0, 1])])
    assert x.shape == (2, 3)
    assert y.tolist() == [0, 1]


def test_a_resumed_stream_skips_what_was_taken():
    rest = from_iterable([(torch.tensor([n]), torch.tensor([0])) for n in range(5)]).batches(3)
    assert [int(x) for x, _ in rest] == [3, 4]


def test_an_item_that_is_no_pair_is_named():
    with pytest.raises(UserError, match="item 1 of the stream is a int"):
        list(from_iterable([([1], [2]), 7]))


def test_a_source_that_can_seek_is_told_where_to_begin():
    class Seekable:
        def __init__(self):
            self.at, self.read = 0, []

        def seek(self, position):
            self.at = position

        def __iter__(self):
            for number in range(self.at, 6):
                self.read.append(number)
                yield torch.tensor([number]), torch.tensor([0])

    source = Seekable()
    stream = from_iterable(source)
    assert [int(x) for x, _ in stream.batches(4)] == [4, 5]
    assert source.read == [4, 5]
    assert stream.position == 6

import io

from rich.console import Console
from torch.utils.data import DataLoader, IterableDataset

import evoreplay as ev
from evoreplay.checks import example_batch
from evoreplay.streaming.progress import StreamProgress, is_round, length_of
from shared.short_stream import learner


def shown(length, count, terminal=False):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100)
    with StreamProgress(length, console=console) as display:
        for batch in range(1, count + 1):
            display(batch, 0.5)
    return out.getvalue().splitlines()


def test_lines_are_tenths_of_a_known_length_and_round_numbers_of_an_unknown_one():
    assert len(shown(1000, 1000)) == 10
    assert shown(1000, 1000)[0] == "batch 100 of 1000, accuracy 50.0%"
    assert [line.split(",")[0] for line in shown(None, 60)] == [
        f"batch {n}" for n in (1, 2, 5, 10, 20, 50)
    ]
    assert "batch 3 of 3" in "".join(shown(3, 3, terminal=True))
    assert "batch 3," in "".join(shown(None, 3, terminal=True))
    assert [n for n in range(1, 1001) if is_round(n)] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def test_a_loader_of_a_dataset_without_length_has_none():
    class Endless(IterableDataset):
        def __iter__(self):
            yield example_batch(0)

    assert length_of(DataLoader(Endless(), batch_size=None)) is None
    assert length_of(iter([])) is None
    assert length_of([1, 2]) == 2
    loader = DataLoader(Endless(), batch_size=None)
    assert len(list(ev.prequential(learner(), loader, progress=True))) == 1

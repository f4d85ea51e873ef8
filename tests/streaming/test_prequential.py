import io
import sys
import tracemalloc

import pytest

import evoreplay as ev
from evoreplay.checks import example_batch, same
from shared.short_stream import SIZES, batches, learner


def by_hand(stream, window):
    """The same by lists and slices, and the learner that learned it."""
    model, right, found = learner(), [], []
    for x, y in stream:
        own = [int(a) == int(b) for a, b in zip(model.predict(x), y, strict=True)]
        right += own
        step = model.observe(x, y)
        recent = right[-window:]
        shares = [sum(part) / len(part) for part in (own, recent, right)]
        found.append((len(right), *shares, step))
    return found, model


@pytest.mark.parametrize("window", [1, 2, 7, 10, 1000])
def test_it_is_what_a_plain_loop_computes(window):
    tested = learner()
    found = list(ev.prequential(tested, batches(), window=window))
    expected, model = by_hand(batches(), window)
    assert [tuple(step[1:]) for step in found] == expected
    assert [step.batch for step in found] == list(range(1, len(SIZES) + 1))
    assert same(tested.state_dict(), model.state_dict())


def test_the_window_forgets_and_the_overall_accuracy_does_not():
    x, y = example_batch(0, size=20)
    tested = learner()
    *_, last = ev.prequential(tested, [(x, y)] * 200, window=40)
    assert last.overall_accuracy < last.window_accuracy


def test_numpy_batches_are_taken():
    stream = [(x.numpy(), y.numpy()) for x, y in batches()]
    assert [s[1:] for s in ev.prequential(learner(), stream)] == by_hand(batches(), 1000)[0]


def test_empty_batches_are_counted_and_passed_over():
    x, y = example_batch(0)
    full = batches((5, 3))
    tested = learner()
    stream = [(x[:0], y[:0]), full[0], (x[:0], y[:0]), (x[:0], y[:0]), full[1], (x[:0], y[:0])]
    found = list(ev.prequential(tested, stream))
    assert [(step.batch, step.examples) for step in found] == [(2, 5), (5, 8)]
    assert tested.steps == 2


def test_a_stream_without_a_batch_gives_nothing():
    tested = learner()
    assert list(ev.prequential(tested, [])) == []
    assert tested.steps == 0


@pytest.mark.parametrize("window", [0, -1, 2.5, None])
def test_a_window_that_cannot_be_is_refused_at_once(window):
    with pytest.raises(ev.UserError, match=r"window is .*; give a whole number"):
        ev.prequential(learner(), [], window=window)


def test_a_bad_batch_is_told_before_it_is_predicted():
    x, y = example_batch(0)
    steps = ev.prequential(learner(), [(x, y), (x[:, :, :2], y), 7])
    next(steps)
    with pytest.raises(ev.UserError, match="a stream keeps to one kind"):
        next(steps)
    with pytest.raises(ev.UserError, match="item 0 of the stream is a int"):
        next(ev.prequential(learner(), [7]))


def test_an_endless_stream_is_read_one_batch_at_a_time_in_constant_memory():
    taken = []

    def endless():
        number = 0
        while True:
            taken.append(number)
            yield example_batch(number % 7, size=50)
            taken.pop()
            number += 1

    tested = learner()
    steps = ev.prequential(tested, endless(), window=100)
    assert taken == []
    next(steps)
    assert (taken, tested.steps) == ([0], 1)
    for _ in range(20):
        next(steps)
    tracemalloc.start()
    for _ in range(20):
        next(steps)
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(100):
        next(steps)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 5,000 more predictions: a list of them would be 40 kB, of the batches 60 MB
    assert after - before < 20_000
    assert next(steps).examples == 50 * 142


def test_a_log_file_gets_plain_lines_on_standard_error_and_no_bar(capsys):
    list(ev.prequential(learner(), batches(), progress=True))
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert len(lines) == len(SIZES)
    assert lines[-1].startswith("batch 9 of 9, accuracy ")
    assert "\x1b" not in captured.err
    list(ev.prequential(learner(), batches()))
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar_that_ends_when_the_caller_stops(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("TERM", "xterm")
    steps = ev.prequential(learner(), iter(batches()), progress=True)
    next(steps)
    steps.close()
    assert "\x1b" in out.getvalue()
    assert out.getvalue().rfind("\x1b[?25h") > out.getvalue().rfind("\x1b[?25l")

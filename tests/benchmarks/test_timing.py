from evoreplay.benchmarks.timing import interleaved, ratio


def test_works_take_turns_and_each_round_does_each_once():
    calls = []
    works = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    times = interleaved(works, rounds=3, warm_up=1)
    assert "".join(calls) == "abababab"
    assert {len(values) for values in times.values()} == {3}


def test_ratios_are_within_rounds_so_that_a_slow_machine_cancels_out():
    times = {"slow": [2.0, 20.0, 200.0], "fast": [1.0, 10.0, 100.0]}
    found = ratio(times, "slow", "fast")
    assert (found.low, found.median, found.high) == (2.0, 2.0, 2.0)
    assert ratio({"a": [3.0], "b": [2.0]}, "a", "b").median == 1.5

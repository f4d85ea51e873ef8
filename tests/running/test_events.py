from evoreplay.running.events import EventLog, read_events


def test_a_log_is_cut_back_to_where_the_checkpoint_was(tmp_path):
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    log.write("step", step=1)
    length = log.length
    log.write("step", step=2)
    log.close()
    assert [e["step"] for e in read_events(path)] == [1, 2]
    log = EventLog(path, length)
    log.write("step", step=3)
    log.close()
    assert [e["step"] for e in read_events(path)] == [1, 3]


def test_a_half_written_line_is_not_an_event(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text('{"event": "a"}\n{"eve')
    assert read_events(path) == [{"event": "a"}]

from evoreplay.reports.report import make_report


def test_runs_and_rows_are_counted_and_what_is_skipped_is_sorted(write_run, tmp_path):
    for seed in (0, 1):
        write_run("er", seed)
    write_run("er+ld", 0)
    write_run("er", 0, dataset="cifar10")
    for name in ("b-notes", "a-notes"):
        (tmp_path / name).mkdir()
    report = make_report(tmp_path)
    assert (report.run_count, report.row_count) == (4, 3)
    assert [part.section.dataset for part in report.sections] == ["cifar10", "digits"]
    assert [skipped.name for skipped in report.skipped] == ["a-notes", "b-notes"]
    assert all(part.tables[0].name == "results" for part in report.sections)

from evoreplay.cli import main


def test_the_demo_ends_with_a_table_and_the_path(tmp_path, capsys):
    assert main(["demo", "--seeds", "1", "--out", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    for word in ("fine-tuning", "er+noise", "er+svgd", "accuracy", "forgetting", str(tmp_path)):
        assert word in output
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 7
    assert str(tmp_path / "report.html") in output
    assert "er+svgd" in (tmp_path / "report.html").read_text()

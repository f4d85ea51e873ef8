from evoreplay.cli import main
from evoreplay.running.methods import METHODS


def test_methods_lists_every_name_with_cost_and_verification(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["methods"]) == 0
    output = capsys.readouterr().out
    assert all(name in output for name in METHODS)
    assert "flat-vector oracle" in output
    assert "13.30" in output
    assert "transforms=[gmed,augment]" in output


def test_no_name_and_no_option_is_cut_in_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["methods"]) == 0
    output = capsys.readouterr().out
    assert all(name in output for name in METHODS)
    assert "…" not in output

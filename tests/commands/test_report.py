import pytest

from evoreplay import Config, run
from evoreplay.cli import main


@pytest.fixture(scope="module")
def real_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    for method in ("er", "er+ld"):
        for seed in (0, 1):
            run(Config(method=method, seed=seed, scale=0.2, memory_size=20), out=folder)
    return folder


def test_a_report_of_real_runs_says_where_it_is_and_what_is_not_in_it(real_runs, tmp_path, capsys):
    unfinished = real_runs / "digits-er-s9-00000000"
    unfinished.mkdir(exist_ok=True)
    (unfinished / "config.yaml").write_text("")
    out = tmp_path / "report.html"
    assert main(["report", str(real_runs), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert f"{out}: 4 runs in 2 rows; 1 skipped:" in said
    assert "digits-er-s9-00000000: not finished" in said
    page = out.read_text()
    for words in ("er+ld", "Raw and evolved", "as the network sees it", "Class balance", "Cost"):
        assert words in page
    assert "does not resolve the command" not in page
    assert page.count("<img ") == 2 * 8 * 3


def test_a_format_may_be_named_and_quiet_says_nothing(real_runs, tmp_path, capsys):
    out = tmp_path / "table"
    assert main(["report", str(real_runs), "--out", str(out), "--format", "latex", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text().startswith("% Final accuracy: digits, scale 0.2 of the stream")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "nowhere"], "nowhere is not there"),
        (["report", "."], "no finished run"),
        (["report", "{runs}", "--out", "/proc/nothing/report.html"], "cannot write"),
    ],
)
def test_bad_input_gets_a_clear_message_and_exit_code_2(
    real_runs, tmp_path, monkeypatch, capsys, arguments, words
):
    monkeypatch.chdir(tmp_path)
    assert main([argument.format(runs=real_runs) for argument in arguments]) == 2
    assert words in capsys.readouterr().err

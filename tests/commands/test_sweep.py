import pytest

from evoreplay.cli import main

GRID = "dataset: digits\nmethod: [er, er+noise]\nseeds: 2\nset: {scale: 0.1, memory_size: 20}\n"


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "grid.yaml"
    path.write_text(GRID)
    return str(path)


def test_a_dry_run_shows_the_grid_with_a_time_and_makes_nothing(experiment, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["sweep", experiment, "--out", str(out), "--seeds", "3", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "6 runs" in shown
    assert "left: about" in shown
    assert not out.exists()


def test_the_exit_code_says_that_a_run_failed(experiment, tmp_path, capsys):
    command = ["sweep", experiment, "--out", str(tmp_path / "out"), "--workers", "1"]
    assert main([*command, "--only", "method=er,seed=0"]) == 0
    assert "1 of 1 runs done" in capsys.readouterr().out
    assert main([*command, "--only", "method=er,seed=0", "--set", "lr=1e30"]) == 1
    error = capsys.readouterr().err
    assert "1 of 1 runs failed; the same command tries them again" in error
    assert "not finite" in error


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        ("metod: er\n", [], "did you mean 'method'"),
        ("method: []\n", [], "the grid is empty"),
        ("seeds: []\n", [], "the grid is empty"),
        ("set: {rat: 1}\n", [], "did you mean 'rate'"),
        ("dataset: digit\n", [], "did you mean 'digits'"),
        (GRID, ["--only", "method=mir"], "no run of the grid has method=mir"),
        (GRID, ["--workers", "0"], "--workers is 0"),
        (GRID, ["--threads", "0"], "--threads is 0"),
        (GRID, ["--address", "auto"], "add --executor ray"),
        (GRID, ["--scale", "2"], "scale is 2.0"),
    ],
)
def test_bad_input_gets_one_clear_message(content, arguments, words, tmp_path, capsys):
    path = tmp_path / "grid.yaml"
    path.write_text(content)
    assert main(["sweep", str(path), "--out", str(tmp_path / "out"), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_file_that_is_not_there_is_an_error_of_the_user(capsys):
    assert main(["sweep", "nowhere.yaml"]) == 2
    assert "cannot read nowhere.yaml" in capsys.readouterr().err
    assert main(["sweep", "mian"]) == 2
    assert "did you mean 'main'" in capsys.readouterr().err

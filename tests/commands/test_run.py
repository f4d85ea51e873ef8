import json

from evoreplay.cli import main

QUICK = ["--set", "scale=0.1"]


def test_run_writes_a_directory_and_says_where(tmp_path, capsys):
    command = ["run", "--dataset", "digits", "--method", "er+ld", "--seed", "3"]
    command += ["--out", str(tmp_path), *QUICK, "steps=2", "alignment=0"]
    assert main(command) == 0
    (path,) = tmp_path.iterdir()
    output = capsys.readouterr().out
    assert str(path) in output
    assert "batch 0 of" in output
    result = json.loads((path / "result.json").read_text())
    assert (result["seed"], result["config"]["steps"], result["scale"]) == (3, 2, 0.1)
    assert main(command) == 0
    assert "was there already" in capsys.readouterr().out


def test_a_run_whose_loss_is_lost_is_listed_as_failed_with_the_reason(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["run", "--out", str(tmp_path), "--method", "er", *QUICK, "lr=1e30"]) == 1
    said = capsys.readouterr().err
    assert main(["runs", "list", str(tmp_path)]) == 0
    listed = capsys.readouterr().out
    assert "failed" in listed
    assert "finite" in said
    assert "finite" in listed


def test_set_may_be_given_in_any_way(capsys):
    ways = [
        ["--set", "steps=1", "rate=0.5"],
        ["--set", "steps=1", "--set", "rate=0.5"],
        ["--set", "rate=0.5", "--seed", "0", "--set", "steps=1"],
    ]
    for way in ways:
        assert main(["run", "--dry-run", *way]) == 0
    assert len(set(capsys.readouterr().out.split())) == 1


def test_profile_shows_where_the_time_goes(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    command = ["run", "--out", str(tmp_path), "--profile", *QUICK]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "evolution" in output
    assert main(command) == 0
    assert "was there already" in capsys.readouterr().out


def test_quiet_says_nothing(tmp_path, capsys):
    assert main(["run", "--out", str(tmp_path), "--quiet", *QUICK]) == 0
    assert capsys.readouterr().out == ""


def test_the_stream_evolves_too_when_asked_to_and_only_with_a_flow(tmp_path, capsys):
    results = {}
    for method in ("er+ld", "er+noise"):
        for evolves in ("false", "true"):
            out = tmp_path / f"{method}-{evolves}"
            command = ["run", "--method", method, "--out", str(out), *QUICK]
            assert main([*command, f"evolve_stream={evolves}", "steps=2"]) == 0
            (path,) = out.iterdir()
            results[method, evolves] = json.loads((path / "result.json").read_text())
            assert results[method, evolves]["config"]["evolve_stream"] is (evolves == "true")
    for method in ("er+ld", "er+noise"):
        plain, evolving = results[method, "false"], results[method, "true"]
        assert plain["config_hash"] != evolving["config_hash"]
        assert plain["anytime_accuracy"] != evolving["anytime_accuracy"]
    capsys.readouterr()
    refused = ["run", "--method", "er", "--out", str(tmp_path / "er"), *QUICK]
    assert main([*refused, "evolve_stream=true"]) == 2
    assert "er has no flow by which the stream batch could evolve" in capsys.readouterr().err
    assert not (tmp_path / "er").exists()


def test_an_experiment_file_runs_its_grid(tmp_path, capsys):
    file = tmp_path / "small.yaml"
    file.write_text("dataset: digits\nmethod: [er, fine-tuning]\nseeds: 2\nset: {scale: 0.1}\n")
    assert main(["run", str(file), "--out", str(tmp_path / "runs"), "--dry-run"]) == 0
    assert len(capsys.readouterr().out.split()) == 4
    assert main(["run", str(file), "--out", str(tmp_path / "runs")]) == 0
    assert len(list((tmp_path / "runs").iterdir())) == 4

import shlex

import pytest

from evoreplay.cli import gathered_settings, main
from evoreplay.reports.collect import collect
from evoreplay.reports.reproduction import command_of, gives_the_same_config


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("er", {}),
        ("er+ld", {"recipe": "paper"}),
        ("er+ld", {"steps": 1, "rate": 1e-05, "scale": 0.3, "write_back": True}),
        ("mir+hmc", {"dataset": "cifar100", "updates": 1, "precision": "bfloat16"}),
        ("er+ld", {"clamp": (-1.0, 1.0), "transforms": ("gmed", "augment"), "memory": "gss"}),
        ("er", {"stream": "drift", "schedule": ((1.0, 0.0), (0.0, 1.0))}),
        ("iid-offline", {"dataset": "mini-imagenet", "seed": 7}),
        ("er", {"dataset": "npz:my data/it's.npz", "model": "mlp"}),
    ],
)
def test_the_command_gives_the_config_hash_of_the_run(
    write_run, tmp_path, capsys, method, settings
):
    path = write_run(method, **settings)
    (run,) = collect(tmp_path).runs
    program, *arguments = shlex.split(command_of(run))
    assert program == "evoreplay"
    assert gathered_settings(arguments)
    assert main([*arguments, "--dry-run", "--out", "x"]) == 0
    assert capsys.readouterr().out.strip() == f"x/{path.name}"
    assert path.name.endswith(run.config_hash)
    assert gives_the_same_config(run)


def test_only_what_the_protocol_does_not_give_is_named(write_run, tmp_path):
    write_run("er+ld", 3, steps=2)
    (run,) = collect(tmp_path).runs
    assert command_of(run) == (
        "evoreplay run --dataset digits --method er+ld --seed 3 --device cpu "
        "--set steps=2 precision=float32"
    )


def test_threads_other_than_one_are_named(write_run, tmp_path):
    write_run("er", 0, changes={"versions": {"threads": 4}})
    (run,) = collect(tmp_path).runs
    assert " --threads 4 " in command_of(run)


def test_a_run_on_a_device_that_is_not_here_still_has_its_command(write_run, tmp_path):
    path = write_run("er", 0)
    text = (path / "result.json").read_text()
    (path / "result.json").write_text(text.replace('"device": "cpu"', '"device": "cuda"'))
    (run,) = collect(tmp_path).runs
    assert "--device cuda" in command_of(run)
    assert not gives_the_same_config(run)  # the hash in the file is that of the cpu


def test_a_hash_that_is_not_that_of_the_command_is_noticed(write_run, tmp_path):
    write_run("er", 0, changes={"config_hash": "00000000"})
    (run,) = collect(tmp_path).runs
    assert not gives_the_same_config(run)

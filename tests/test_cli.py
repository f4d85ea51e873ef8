import pytest

from evoreplay.cli import gathered_settings, main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--method", "er+dl"], "did you mean 'er+ld'"),
        (["run", "--dataset", "digts"], "did you mean 'digits'"),
        (["run", "--set", "rate=-1"], "rate is -1.0"),
        (["run", "--set", "memory_size=0"], "memory_size is 0; give 1 or more"),
        (["run", "--set", "rat=1"], "did you mean 'rate'"),
        (["run", "--set", "rate"], "name=value"),
        (["run", "--set", "replay_size=0"], "replay_size is 0; give 1 or more"),
        (["run", "--set", "recipe=papr"], "did you mean 'paper'"),
        (["run", "--device", "tpu"], "device is 'tpu'"),
        (["run", "--threads", "0"], "--threads is 0"),
        (["run", "none.yaml"], "cannot read none.yaml"),
        (["run", "--out", "/proc/nothing"], "cannot write to"),
        (["demo", "--seeds", "0"], "--seeds is 0"),
    ],
)
def test_bad_input_gets_one_clear_message_and_exit_code_2(
    arguments, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert words in message
    assert len(message.strip().splitlines()) == 1
    assert not list(tmp_path.rglob("result.json"))


def test_a_loss_that_becomes_nan_is_told_without_a_traceback(tmp_path, capsys):
    command = ["run", "--method", "er", "--out", str(tmp_path), "--set", "lr=1e30", "scale=0.2"]
    assert main(command) == 1
    assert "last good state is kept" in capsys.readouterr().err


def test_version_fields_and_help_are_there_to_read(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("evoreplay ")
    assert main(["run", "--fields"]) == 0
    assert "memory_size" in capsys.readouterr().out
    with pytest.raises(SystemExit) as leaving:
        main(["run", "--help"])
    assert leaving.value.code == 0
    assert "example: evoreplay run" in capsys.readouterr().out


def test_a_list_in_the_help_of_a_field_keeps_its_brackets(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["run", "--fields"]) == 0
    assert "for instance [gmed]; overrules the method" in capsys.readouterr().out


def test_the_list_of_fields_tells_what_is_filled_in_from_what_is_left_out(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["run", "--fields"]) == 0
    rows = [line.split("│") for line in capsys.readouterr().out.splitlines() if "│" in line]
    defaults = {row[1].strip(): row[2].strip() for row in rows}
    names = ("memory_size", "rate", "space", "steps", "recipe", "raw_weight", "clamp")
    assert [defaults[name] for name in names] == [
        *("by dataset", "by recipe", "by recipe", "by recipe", "tuned", "none", "none")
    ]


def test_settings_may_come_several_times_and_end_at_the_next_option():
    arguments = ["run", "--set", "rate=0.1", "steps=2", "-q", "--set", "lr=0.2", "file.yaml"]
    assert gathered_settings(arguments) == [
        *("run", "-q", "file.yaml", "--set", "rate=0.1", "steps=2", "lr=0.2")
    ]

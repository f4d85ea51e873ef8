import io

from rich.console import Console

from evoreplay import Config
from evoreplay.display import Display
from evoreplay.running import Progress


def shown(terminal, total_runs=1, quiet=False):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100)
    with Display(console, total_runs=total_runs, quiet=quiet) as display:
        for position in range(101):
            display(Progress(Config(), position, 100, 0.5 if position > 50 else None))
        display.finished("done")
    return out.getvalue()


def test_a_log_file_gets_a_plain_line_for_each_tenth():
    lines = shown(terminal=False).splitlines()
    assert len(lines) == 12
    assert lines[0] == "digits er+ld seed 0: batch 0 of 100"
    assert lines[-2] == "digits er+ld seed 0: batch 100 of 100 accuracy 50.0%"
    assert not any("\x1b" in line for line in lines)


def test_many_runs_in_a_log_file_get_one_line_each():
    assert shown(terminal=False, total_runs=3).splitlines() == ["done"]


def test_a_terminal_gets_live_bars():
    assert "\x1b" in shown(terminal=True, total_runs=2)


def test_quiet_is_quiet():
    assert shown(terminal=True, quiet=True) == ""

"""`python -m evoreplay` is the command."""

import subprocess
import sys


def test_an_unknown_option_leaves_with_code_2_as_a_process():
    done = subprocess.run(
        [sys.executable, "-m", "evoreplay", "run", "--metod", "er"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_module_prints_the_help_of_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "evoreplay", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "usage: evoreplay" in done.stdout

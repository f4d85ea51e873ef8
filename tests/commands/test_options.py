from dataclasses import dataclass
from typing import Annotated

import pytest
import tyro

from evoreplay.commands.options import given


@dataclass
class Asked:
    size: Annotated[int | None, given("NUMBER", "as the file says")] = None
    """How large."""


def test_an_option_that_is_left_out_is_none_and_its_help_says_what_then_holds(capsys):
    assert tyro.cli(Asked, args=[]).size is None
    assert tyro.cli(Asked, args=["--size", "3"]).size == 3
    with pytest.raises(SystemExit):
        tyro.cli(Asked, args=["--help"])
    text = capsys.readouterr().out
    assert "--size NUMBER" in text
    assert "(default: as the file says)" in text

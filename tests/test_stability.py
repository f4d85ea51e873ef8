import importlib
import re
from pathlib import Path

import evoreplay

PAGE = (Path(__file__).parent.parent / "docs" / "stability.md").read_text()


def test_all_public_names_are_there_and_sorted_and_said_once():
    assert sorted(evoreplay.__all__) == sorted(set(evoreplay.__all__))
    for name in evoreplay.__all__:
        assert hasattr(evoreplay, name), name


def test_every_name_that_the_page_calls_public_exists():
    names = set(re.findall(r"`(evoreplay(?:\.\w+)+)`", PAGE)) - {"evoreplay.__all__"}
    assert len(names) >= 7
    for name in names:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            module, _, attribute = name.rpartition(".")
            assert hasattr(importlib.import_module(module), attribute), name
    checks = importlib.import_module("evoreplay.checks")
    for name in re.findall(r"`(check_\w+)`", PAGE):
        assert hasattr(checks, name)

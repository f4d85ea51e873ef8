import re
from pathlib import Path

import evoreplay

SOURCE = Path(evoreplay.__file__).parent


def test_nothing_is_ever_unpickled():
    forbidden = re.compile(
        r"import pickle|from pickle|torch\.load\(|torch\.save\(|yaml\.load\(|allow_pickle=True"
    )
    for file in SOURCE.rglob("*.py"):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            assert not forbidden.search(line), f"{file.name}:{number}: {line}"

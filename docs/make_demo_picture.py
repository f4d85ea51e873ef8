"""Draw docs/demo.svg: the demo's table, from runs in a folder of its own.

python docs/make_demo_picture.py
"""

import io
import re
import tempfile
from pathlib import Path

import torch
from rich.console import Console

from evoreplay.demo import demo_configs, demo_table
from evoreplay.running import run

torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as folder:
    outcomes = [run(config, out=Path(folder)) for config in demo_configs()]
console = Console(record=True, width=76, file=io.StringIO())
console.print(demo_table(outcomes))
picture = console.export_svg(title="evoreplay demo", unique_id="demo")
# the terminal's font from the reader's machine, not from the network
picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
Path(__file__).with_name("demo.svg").write_text(picture)

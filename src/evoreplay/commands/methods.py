"""`evoreplay methods`."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from evoreplay.running import Config
from evoreplay.running.costs import relative_cost
from evoreplay.running.methods import METHODS
from evoreplay.running.protocol import resolved


@dataclass(kw_only=True)
class Methods:
    """List the methods: what each is, where it is from, what it costs, how it was verified.

    example: evoreplay methods
    """

    def __call__(self, console: Console) -> None:
        table = Table(
            "name",
            "what it is",
            "from",
            "options (--set)",
            "x er",
            "verified against",
            caption="x er: cost of a step by pass count, CIFAR-10 protocol, recipe=reference; "
            "free combinations: --set memory=gss retrieval=mir transforms=[gmed,augment]",
        )
        for method in METHODS.values():
            config = resolved(Config(dataset="cifar10", method=method.name, recipe="reference"))
            table.add_row(
                method.name,
                method.summary,
                method.source,
                " ".join(method.options),
                f"{relative_cost(config):.2f}",
                method.verified,
            )
        console.print(table)

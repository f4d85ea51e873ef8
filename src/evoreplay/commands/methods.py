"""`evoreplay methods`."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Column, Table

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
            Column("name", no_wrap=True, min_width=max(map(len, METHODS))),
            *(Column(title, overflow="fold") for title in ("what it is", "from")),
            Column("options (--set)", overflow="fold"),
            Column("x er", no_wrap=True),
            Column("verified against", overflow="fold"),
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

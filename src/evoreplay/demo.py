"""The demo: the flows beside their controls on the embedded digits, in under a minute."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, stdev

from rich.table import Table

from evoreplay.running import Config, Outcome
from evoreplay.running.experiment_file import expand

METHODS = ["fine-tuning", "er", "er-x2", "er+noise", "er+ld", "er+svgd", "er+hmc"]


def demo_configs(seeds: int = 3) -> list[Config]:
    """All runs of the demo, seed by seed so that times are compared under equal conditions."""
    grid = expand({"dataset": "digits", "method": METHODS, "seeds": seeds})
    return sorted(grid, key=lambda config: (config.seed, METHODS.index(config.method)))


def demo_table(outcomes: list[Outcome]) -> Table:
    """Accuracy, forgetting, memory moved and time relative to ER, by method."""
    results = [outcome.result for outcome in outcomes]
    er_seconds = {r["seed"]: r["seconds_per_step"] for r in results if r["method"] == "er"}
    seeds = len(er_seconds)
    table = Table(
        title=f"digits, 5 segments of 2 classes, {seeds} seeds: mean ± standard deviation",
        caption="accuracy and forgetting in %; moved: RMS change of a replayed input",
    )
    table.add_column("method")
    for heading in ("accuracy", "forgetting", "memory moved", "time / er"):
        table.add_column(heading, justify="right")
    for method in METHODS:
        own = [r for r in results if r["method"] == method]
        times = [r["seconds_per_step"] / er_seconds[r["seed"]] for r in own]
        table.add_row(
            method,
            spread([100 * r["final_accuracy"] for r in own], 1),
            spread([100 * r["forgetting"] for r in own], 1),
            spread([r["memory_moved"] for r in own], 4),
            spread(times, 2),
        )
    return table


def spread(values: list[float], digits: int) -> str:
    """Mean and standard deviation (ddof 1)."""
    deviation = stdev(values) if len(values) > 1 else float("nan")
    return f"{fmean(values):.{digits}f} ± {deviation:.{digits}f}"


def closing_words(out: Path, page: Path) -> str:
    """Where things are, and what to do next."""
    return (
        f"Run directories: {out}\n"
        f"All of it on one page: {page}\n"
        "er-x2 replays with the weight of a flow's raw and evolved examples, er+noise has er+ld's "
        "noise and no gradient:\nwhat is gained over both is due to evolution.\n"
        "Next: evoreplay run --dataset digits --method er+ld --set rate=0.02 steps=2"
    )

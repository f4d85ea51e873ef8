"""`evoreplay data list`, `fetch`, `check` and `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Column, Table

from evoreplay.commands.options import given
from evoreplay.datasets import Progress as FetchProgress
from evoreplay.datasets import check_dataset, fetch, known_datasets
from evoreplay.datasets.places import user_cache
from evoreplay.display import plain_line
from evoreplay.errors import UserError
from evoreplay.reports.stream_figure import stream_png
from evoreplay.running import Config
from evoreplay.running.config import parse_settings, with_settings
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import prepare_experiment
from evoreplay.storage import write_file

DataFolder = Annotated[Path | None, given("FOLDER", "none")]


@dataclass(kw_only=True)
class List:
    """What is known by name, where it was found, how large it is and under which terms.

    example: evoreplay data list
    """

    data: DataFolder = None
    """Where to look before $EVOREPLAY_DATA, ./data and the user's cache."""

    def __call__(self, console: Console) -> None:
        table = Table("name", Column("where", overflow="fold"), "size", "what there is", "terms")
        for entry in known_datasets(self.data):
            found = entry.where or ("not here; can be fetched" if entry.fetchable else "not here")
            size = f"{entry.size / 1e6:.0f} MB" if entry.size else ""
            state = "" if entry.where is None else entry.subset or "all"
            if entry.subset is not None:
                state = f"SUBSET: {entry.subset}"
            table.add_row(entry.name, found, size, entry.problem or state, entry.terms)
        console.print(table)
        plain_line(console, "Your own: --dataset folder:PATH, parquet:PATH, npz:PATH or text:PATH")


@dataclass(kw_only=True)
class Fetch:
    """Get a dataset: resumable, checked by sha256, whole or not at all.

    example: evoreplay data fetch cifar10
    """

    name: Annotated[str, tyro.conf.Positional]
    """cifar10, cifar100, mnist or fashion-mnist."""
    into: Annotated[Path | None, given("FOLDER", "the user's cache")] = None
    """The folder that gets it."""
    quiet: bool = False
    """No progress."""

    def __call__(self, console: Console) -> None:
        into = self.into or user_cache()
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=console,
            transient=True,
            disable=self.quiet or not console.is_terminal,
        ) as bars:
            task = bars.add_task("", total=None, visible=False)
            said: list[str] = []

            def show(progress: FetchProgress) -> None:
                if progress.total is not None:
                    bars.update(
                        task,
                        description=progress.message,
                        completed=progress.done,
                        total=progress.total,
                        visible=True,
                    )
                text = f"{progress.source}: {progress.message}"
                if progress.total is None and text not in said and not self.quiet:
                    said.append(text)
                    plain_line(console, text)

            path = fetch(self.name, into=into, progress=show)
        plain_line(console, f"{self.name} is in {path}; check it: evoreplay data check {self.name}")


@dataclass(kw_only=True)
class Check:
    """Read a dataset from beginning to end: counts per class, shapes, checksums.

    example: evoreplay data check cifar10
    """

    name: Annotated[str, tyro.conf.Positional]
    """A name, or folder:PATH, parquet:PATH, npz:PATH, text:PATH."""
    data: DataFolder = None
    """Where to look before $EVOREPLAY_DATA, ./data and the user's cache."""

    def __call__(self, console: Console) -> None:
        checked = check_dataset(self.name, data=self.data)
        plain_line(console, f"{checked.name}: {checked.where}")
        size = " x ".join(str(n) for n in checked.shape)
        plain_line(console, f"examples of {size}, {len(checked.train_per_class)} classes")
        plain_line(console, f"train: {counted(checked.train_per_class)}")
        if checked.test_per_class is None:
            plain_line(console, "test: none of its own; a fifth of each class is held out")
        else:
            plain_line(console, f"test: {counted(checked.test_per_class)}")
        if checked.subset is not None:
            plain_line(console, f"SUBSET: {checked.subset}")
        words = {True: "as published", False: "NOT AS PUBLISHED", None: "no published checksum"}
        for file in checked.files:
            text = f"{file.sha256}  {file.path.name}  {file.size} bytes, {words[file.matches]}"
            plain_line(console, text)
        damaged = [file.path.name for file in checked.files if file.matches is False]
        if damaged:
            raise UserError(
                f"{', '.join(damaged)} differ from the published checksums; fetch them again"
            )


@dataclass(kw_only=True)
class Plot:
    """Draw a stream: the share of each class over time, as a PNG.

    example: evoreplay data plot --dataset cifar10 --stream blurry --set width=1
    """

    dataset: str = "digits"
    """Name of the dataset."""
    stream: str = "class-split"
    """class-split, iid, blurry, drift or imbalanced."""
    seed: int = 0
    """Seed of the order."""
    set: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="NAME=VALUE ...", help_behavior_hint="")
    ] = ()
    """Fields of the config, for instance width=1, transition=linear, schedule=[[1,0],[0,1]]."""
    data: DataFolder = None
    """Where to look before $EVOREPLAY_DATA, ./data and the user's cache."""
    out: Path = Path("stream.png")
    """The picture."""

    def __call__(self, console: Console) -> None:
        settings = {"dataset": self.dataset, "stream": self.stream, "seed": self.seed}
        config = resolved(with_settings(Config(), settings | parse_settings(self.set)))
        experiment = prepare_experiment(config, self.data)
        stream = experiment.stream
        title = f"{config.dataset}, {config.stream}: {len(stream)} batches of {stream.batch_size}"
        if experiment.dataset.subset is not None:
            title += "\n(subset: " + experiment.dataset.subset + ")"
        picture = stream_png(stream, experiment.dataset.classes, title)
        try:
            write_file(self.out, picture)
        except OSError as error:
            raise UserError(
                f"cannot write {self.out}: {error.strerror or error}; give another --out"
            ) from error
        plain_line(console, f"wrote {self.out}")


@dataclass(kw_only=True)
class Data:
    """Datasets: what is here, fetch one, check one, draw a stream."""

    command: tyro.conf.OmitSubcommandPrefixes[List | Fetch | Check | Plot]

    def __call__(self, console: Console) -> None:
        self.command(console)


def counted(per_class: Sequence[int]) -> str:
    """Examples per class in one line."""
    total, low, high = sum(per_class), min(per_class), max(per_class)
    if low == high:
        return f"{total} examples, {low} of each class"
    return f"{total} examples; of each class: {' '.join(str(count) for count in per_class)}"

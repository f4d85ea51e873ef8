"""The benchmark: every method's step, the naive reference and single passes, in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from evoreplay.benchmarks.naive import NaiveReplay, scaled
from evoreplay.benchmarks.timing import Ratio, Work, interleaved, ratio
from evoreplay.memory import ReservoirMemory
from evoreplay.models import ResNet18, in_channels_last, split_at
from evoreplay.random_state import seeded_random_state
from evoreplay.retrieval.uniform import draw_without_replacement
from evoreplay.running.assembly import make_learner
from evoreplay.running.config import Config, Precision
from evoreplay.running.costs import Pass, passes_of_step
from evoreplay.running.protocol import resolved, resolved_precision
from evoreplay.streams import ArrayStream

CLASSES = 10
MEMORY = 500
LARGE_MEMORY = 100_000
WARM_UP_BELOW = 64

VARIANTS: dict[str, dict[str, Any]] = {
    "er": {"method": "er"},
    # as much time as a tuned step: what does a larger replay batch buy instead?
    "er-replay-24": {"method": "er", "replay_size": 24},
    "er+ld": {"method": "er+ld", "alignment": 0.0},
    "er+ld-aligned": {"method": "er+ld"},
    "er+ld-tuned": {"method": "er+ld", "recipe": "tuned"},
    "er+svgd": {"method": "er+svgd", "alignment": 0.0},
    "er+hmc": {"method": "er+hmc", "alignment": 0.0},
    "er+noise": {"method": "er+noise"},
    "er+ld-write-back": {"method": "er+ld", "alignment": 0.0, "steps": 1, "write_back": True},
    **{
        f"er+ld-{layer}": {"method": "er+ld", "alignment": 0.0, "space": layer}
        for layer in ("layer1", "layer2", "layer3", "layer4")
    },
    "fine-tuning": {"method": "fine-tuning"},
    "mir": {"method": "mir"},
    "gmed": {"method": "gmed"},
    "er-aug": {"method": "er-aug"},
    "er-bn": {"method": "er-bn"},
    "gss": {"method": "gss"},
    "agem": {"method": "agem"},
}
"""What is timed: fields of the config by name of the row."""

IN_FLOAT32 = " (float32)"
NAIVE = ("naive-er", "naive-er+ld", "naive-mir")

BARS: dict[str, tuple[str, str, float]] = {
    "er/naive-er": ("er", "naive-er", 0.55),
    "er+ld/er": ("er+ld", "er", 2.8),
    "er+ld-aligned/er": ("er+ld-aligned", "er", 3.35),
    "er+svgd/er+ld": ("er+svgd", "er+ld", 1.05),
    "er+hmc/er+ld": ("er+hmc", "er+ld", 1.05),
    "er+ld/naive-er+ld": ("er+ld", "naive-er+ld", 0.25),
    "er+ld-write-back/er": ("er+ld-write-back", "er", 1.45),
    "mir/naive-mir": ("mir", "naive-mir", 0.5),
    "step-at-100k/step-at-500": ("er at 100k", "er", 1.05),
}
"""Ratios with the most that each may be."""

BOTH_IN_FLOAT32 = ("er+ld-aligned/er",)
"""Ratios whose evolution is in float32 anyway, so that both sides are."""


@dataclass(frozen=True)
class Row:
    """One kind of step."""

    name: str
    milliseconds: float
    to_er: Ratio
    """Relative to an ER step of the same precision."""
    predicted: float | None
    """Relative to ER by its passes, each timed in the same run; None for the naive reference, and
    in bfloat16: the passes are timed in float32."""


@dataclass(frozen=True)
class Benchmark:
    """All rows, and the ratios that have a bar."""

    rows: list[Row]
    ratios: dict[str, Ratio]
    overhead_share: float
    """Of memory, retrieval and data in an ER step."""
    precision: Precision
    """Of the training passes."""


def run_benchmark(
    *, rounds: int = 10, only: Sequence[str] | None = None, precision: Precision = "auto"
) -> Benchmark:
    """Time all steps (or `only` those named, and er) on one thread of the CPU.

    `auto` is the precision that a run would use here; beside bfloat16 rows stand float32 ones.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        used = resolved_precision(precision, "cpu")
        return _measured(rounds, set(only) | {"er"} if only else None, used)
    finally:
        torch.set_num_threads(threads)


def _measured(rounds: int, only: set[str] | None, precision: Precision) -> Benchmark:
    chosen = {name: fields for name, fields in VARIANTS.items() if only is None or name in only}

    def in_precision(one: Precision, suffix: str = "") -> dict[str, Config]:
        # by the paper's recipe: the naive reference replays evolved examples alone, too
        common: dict[str, Any] = {
            "dataset": "cifar10",
            "device": "cpu",
            "precision": one,
            "recipe": "paper",
        }
        return {
            name + suffix: resolved(Config(**(common | fields))) for name, fields in chosen.items()
        }

    configs = in_precision(precision)
    beside = "" if precision == "float32" else IN_FLOAT32
    if beside:
        configs |= in_precision("float32", beside)
    works: dict[str, Work] = {name: _step(config) for name, config in configs.items()}
    naive = NaiveReplay(_model(channels_last=False), *_images(MEMORY, 1))
    x, y = _images(10, 2)
    naive_works: dict[str, Work] = {
        "naive-er": lambda: naive.er(x, y),
        "naive-er+ld": lambda: naive.er_langevin(x, y),
        "naive-mir": lambda: naive.mir(x, y),
    }
    works |= {name: work for name, work in naive_works.items() if only is None or name in only}
    if only is None or "er at 100k" in only:
        works["er at 100k"] = _step(configs["er"], memory=LARGE_MEMORY)
    works["overhead"] = _overhead(configs["er"])
    needed = [one for config in configs.values() for one in passes_of_step(config)]
    works |= {_pass_name(one): _pass(one) for one in needed}
    times = interleaved(works, rounds=rounds)
    seconds = {name: median(values) for name, values in times.items()}

    def predicted(config: Config) -> float:
        return sum(
            seconds[_pass_name(one)] / _repeats(one) * one.times for one in passes_of_step(config)
        )

    er = predicted(configs["er"])
    rows = [
        Row(
            name,
            1000 * seconds[name],
            ratio(times, name, "er" + (beside if name.endswith(IN_FLOAT32) else "")),
            predicted(config) / er if config.precision == "float32" else None,
        )
        for name, config in configs.items()
    ]
    others = [name for name in (*NAIVE, "er at 100k") if name in times]
    rows += [Row(name, 1000 * seconds[name], ratio(times, name, "er"), None) for name in others]
    ratios = {}
    for label, (name, reference, _) in BARS.items():
        suffix = beside if label in BOTH_IN_FLOAT32 else ""
        if name + suffix in times and reference + suffix in times:
            ratios[label] = ratio(times, name + suffix, reference + suffix)
    return Benchmark(rows, ratios, ratio(times, "overhead", "er").median, precision)


def _images(count: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(256, (count, 3, 32, 32), generator=generator, dtype=torch.uint8)
    return x, torch.randint(CLASSES, (count,), generator=generator)


def _model(*, channels_last: bool = True) -> nn.Module:
    with seeded_random_state(0, torch.device("cpu")):
        model = ResNet18(CLASSES)
    return in_channels_last(model) if channels_last else model


def _step(config: Config, memory: int = MEMORY) -> Work:
    """Steps of a learner whose memory is full."""
    learner = make_learner(resolved_memory(config, memory), _model())
    kept: Any = getattr(learner, "memory", None)
    if kept is not None:
        kept.put(torch.arange(memory), *_images(memory, 3))
        if hasattr(kept, "seen"):
            kept.seen = 10 * memory
    x, y = _images(10, 4)
    return lambda: learner.observe(x, y)


def resolved_memory(config: Config, memory: int) -> Config:
    """The same config with another memory size."""
    return resolved(Config(**{**vars(config), "memory_size": memory}))


def _overhead(config: Config) -> Work:
    """All of an ER step that is neither forward, backward nor optimiser."""
    memory = ReservoirMemory(MEMORY)
    x, y = _images(5000, 5)
    memory.add(x, y)
    stream = ArrayStream(x, y, torch.randperm(5000), config.batch_size, (500,))
    generator = torch.Generator()
    batches = stream.batches()

    def once() -> None:
        nonlocal batches
        batch = next(batches, None)
        if batch is None:
            batches = stream.batches()
            batch = next(batches)
        memory.gather(draw_without_replacement(len(memory), config.replay_size, generator))
        memory.add(*batch)

    return once


def _pass_name(one: Pass) -> str:
    part = "" if one.layer is None else f" of the {one.part} at {one.layer}"
    return f"{one.kind} pass{part} of {one.examples}"


def _pass(one: Pass) -> Work:
    """Bare passes through the network or a part of it, `_repeats` of them."""
    model = _model()
    images, y = _images(one.examples, 6)
    x = scaled(images)
    if one.layer is not None:
        space = split_at(model, one.layer)
        with torch.no_grad():
            model, x = (space.lift, x) if one.part == "lift" else (space.head, space.lift(x))
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def forward() -> None:
        with torch.no_grad():
            model(x)

    def to_inputs() -> None:
        inputs = x.detach().requires_grad_()
        loss = cross_entropy(functional_call(model, parameters, (inputs,)), y, reduction="sum")
        torch.autograd.grad(loss, inputs)

    def training() -> None:
        model.zero_grad()
        cross_entropy(model(x), y).backward()

    once = {"forward": forward, "input": to_inputs, "training": training}[one.kind]

    def repeated() -> None:
        for _ in range(_repeats(one)):
            once()

    return repeated


def _repeats(one: Pass) -> int:
    """Small passes are timed several in a row: within a step the caches are warm."""
    return 4 if one.examples <= WARM_UP_BELOW else 1

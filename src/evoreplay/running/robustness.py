"""The accuracy of a finished run under attack, kept beside it in `robustness.json`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from evoreplay.errors import UserError, require
from evoreplay.random_state import named_generator
from evoreplay.running.attack_budgets import (
    BudgetedAttack,
    Found,
    Measured,
    attacks_of,
    is_known,
    with_measured,
)
from evoreplay.running.attack_chunks import Chunks, Distances
from evoreplay.running.attacking import (
    CHUNK,
    Images,
    chosen_images,
    correct_positions,
    in_pixels,
    require_pixels,
    stoppable,
)
from evoreplay.running.finished import LoadedRun, load_finished
from evoreplay.running.interruption import Interrupted, stop_requests
from evoreplay.running.lock import locked
from evoreplay.running.run import Progress, ProgressListener, versions
from evoreplay.storage import clear_leftovers, write_json

DEFAULT_EXAMPLES = 1000
FILE = "robustness.json"
ORDER = ("config_hash", "examples", "pgd", "cw", "along_stream", "versions")


class Robustness(NamedTuple):
    """What is known of a run under attack."""

    path: Path
    found: Found
    """The content of `robustness.json`."""
    fresh: bool
    """False if all that was asked for was there before."""
    measured_on: str
    """Which images were attacked, as the run has it: test or validation."""


def attack_run(
    path: Path,
    *,
    attack: str = "pgd",
    budget: str = "quick",
    radii: Sequence[float] | None = None,
    examples: int | None = None,
    data: Path | None = None,
    listener: ProgressListener = lambda progress: None,
) -> Robustness:
    """Attack the finished run in `path`, or continue to, or, if that was done, report it.

    `radii` are those of PGD. `examples` is a number of test images (of a run that is
    measured on validation images, of those), by default 1,000 or all there are; 0 means all.
    """
    attacks = attacks_of(attack, budget, radii)
    run = load_finished(path, data)
    require_pixels(run.experiment.dataset)
    count = number_of_examples(run, examples)
    try:
        with locked(path):
            before = read_robustness(path, run.result["config_hash"], count)
            wanted = [one for one in attacks if not is_known(one, before)]
            if not wanted:
                return Robustness(path, before, False, run.config.measured_on)
            clear_leftovers(path)
            identity = {"model": run.model_digest, "examples": count, "versions": versions()}
            chunks = Chunks(path, identity)
            found = with_measured(before, measured(run, wanted, count, chunks, listener))
            found |= {"config_hash": run.result["config_hash"], "examples": count}
            found["versions"] = versions()
            if "robustness_along_stream" in run.result:
                found["along_stream"] = run.result["robustness_along_stream"]
            found = {key: found[key] for key in ORDER if key in found}
            write_json(path / FILE, found)
            chunks.forget(*wanted)
    except OSError as error:
        raise UserError(
            f"cannot write to {path}: {error.strerror or error}; make room or set it right there, "
            "and give the same command again"
        ) from error
    return Robustness(path, found, True, run.config.measured_on)


def number_of_examples(run: LoadedRun, asked: int | None) -> int:
    """Test images to attack."""
    there = sum(len(segment) for segment in run.experiment.test.segments)
    if asked is None:
        return min(DEFAULT_EXAMPLES, there)
    require(
        0 <= asked <= there,
        f"examples is {asked}, and {run.config.dataset} has {there} "
        f"{run.config.measured_on} images; give a number up to that, or all",
    )
    return asked or there


def read_robustness(path: Path, config_hash: str, examples: int) -> Found:
    """What was found before: nothing, or something that new numbers may stand beside."""
    try:
        found: Any = json.loads((path / FILE).read_text())
        require(isinstance(found, dict), "not what this command writes")
        belongs = (found["config_hash"], found["examples"])
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError) as error:
        raise UserError(f"{path / FILE} cannot be read; move it away to attack again") from error
    require(
        belongs[0] == config_hash,
        f"{path / FILE} holds attacks on another run ({belongs[0]}); move it away to attack this",
    )
    require(
        belongs[1] == examples,
        f"{path / FILE} holds attacks on {belongs[1]} images, and these are {examples}; give "
        f"--examples {belongs[1]}, or move that file away",
    )
    return dict(found)


def measured(
    run: LoadedRun,
    attacks: Sequence[BudgetedAttack],
    count: int,
    chunks: Chunks,
    listener: ProgressListener,
) -> dict[BudgetedAttack, Measured]:
    """Every attack on `count` test images; misclassified ones are fooled without one."""
    model = in_pixels(run.model)
    images = chosen_images(run.experiment.test, count)
    results: dict[BudgetedAttack, Measured] = {}
    done = 0
    with stop_requests() as stop, stoppable(model, stop):
        try:
            right = correct_positions(model, images)
            parts = right.split(CHUNK) if len(right) > 0 else ()
            total = len(parts) * len(attacks)
            for attack in attacks:
                known = chunks.of(attack)
                for number, part in enumerate(parts):
                    if number >= len(known):
                        x, y = images.x[part], images.y[part]
                        chunk = attacked(model, attack, Images(x, y), run.config.seed, number)
                        chunks.add(attack, chunk)
                        known.append(chunk)
                    done += 1
                    newest = next(reversed(results.values()), None)
                    accuracy = None if newest is None else newest.accuracy()
                    listener(Progress(run.config, done, total, accuracy))
                results[attack] = Measured(count, [d for chunk in known for d in chunk])
        except Interrupted as interruption:
            raise Interrupted(
                f"stopped after {done} batches of images; nothing is lost: "
                f"the same command continues {run.path}",
                stop.signal_number or 0,
            ) from interruption
    return results


def attacked(
    model: nn.Module, attack: BudgetedAttack, images: Images, seed: int, number: int
) -> Distances:
    """How far each image of a chunk had to change; its starts depend on seed and chunk alone."""
    device = next(model.parameters()).device
    found = attack.attack(
        model,
        images.x.to(device),
        images.y.to(device),
        generator=named_generator(seed, f"attack/{number}"),
    )
    pairs = zip(found.distance.tolist(), found.fooled.tolist(), strict=True)
    return [distance if fooled else None for distance, fooled in pairs]

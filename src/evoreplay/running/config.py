"""The settings of one run: every field is an option, and the docstring under it is its help."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import json
import math
import textwrap
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import yaml

from evoreplay.errors import UserError, unknown

Device = Literal["auto", "cpu", "cuda", "mps"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, kw_only=True)
class Config:
    """One dataset, one method, one seed, and all that changes the numbers.

    A field that is None takes the value of the recipe or of the dataset's protocol.
    """

    dataset: str = "digits"
    """Name of the dataset."""
    method: str = "er+ld"
    """Name of the method, for instance er, er+ld, er+svgd (`evoreplay methods` lists them)."""
    seed: int = 0
    """Seed of the stream, the initial weights and everything else that is random."""
    scale: float = 1.0
    """Share of each segment of the stream to use, for quick looks."""

    stream: Literal["class-split", "iid", "blurry", "drift", "imbalanced"] = "class-split"
    """Order of the data: group after group, mixed, fading, by a schedule, or long-tailed."""
    segments: int | None = None
    """Groups of classes, one after the other; also the number of measured parts of the stream."""
    epochs: int = 1
    """Passes over the data of an iid stream."""
    width: float = 0.5
    """Length of a transition of a blurry stream, in lengths of a segment."""
    transition: Literal["gaussian", "linear"] = "gaussian"
    """Shape of a transition of a blurry stream."""
    schedule: tuple[tuple[float, ...], ...] | None = None
    """Rows of class (or group) shares over time, of a drift stream: [[1, 0], [0, 1]]."""
    imbalance: float = 0.1
    """Share of its examples that the rarest class of an imbalanced stream keeps."""

    batch_size: int = 10
    """Examples in a batch of the stream."""
    lr: float = 0.1
    """Learning rate of SGD."""
    updates: int | None = None
    """Optimiser steps for each incoming batch."""
    model: str | None = None
    """Network: mlp, resnet18, text, or auto (resnet18 for images of 25 pixels and more)."""

    memory_size: int | None = None
    """Examples that the memory holds."""
    replay_size: int = 10
    """Examples that are replayed with each batch."""
    recipe: str = "tuned"
    """With a flow: paper (evolved replay only), reference (raw + evolved), or tuned: reference with
    the best steps found for the network where rate, steps and so on are left open."""
    raw_weight: float | None = None
    """Weight of the raw replay loss; overrules the recipe."""
    evolved_weight: float | None = None
    """Weight of the evolved replay loss; overrules the recipe."""
    statistics: Literal["raw", "all"] = "raw"
    """BatchNorm's running statistics see clean examples only (raw), or every training forward."""
    forward: Literal["separate", "joint"] = "separate"
    """Stream and replay in separate forward passes, or in one."""
    write_back: bool = False
    """Keep evolved examples in memory."""

    memory: Literal["reservoir", "gss"] | None = None
    """What is kept; overrules the method."""
    retrieval: Literal["uniform", "mir"] | None = None
    """What is replayed; overrules the method."""
    transforms: tuple[Literal["gmed", "augment"], ...] | None = None
    """What is done to it before it evolves, for instance [gmed]; overrules the method."""
    candidates: int | None = None
    """Examples that MIR scores."""
    stride: float = 0.1
    """Size of a GMED edit."""
    reg: float = 0.01
    """Weight of GMED's regulariser."""
    decay: float = 1.0
    """Factor on GMED's stride for each earlier edit of an example."""
    edit_sign: Literal["paper", "released"] = "paper"
    """Sign of GMED's regulariser: as in its paper, or as in its released code."""
    reference: int = 256
    """Memory examples of A-GEM's reference gradient."""

    steps: int | None = None
    """Evolution steps for each replayed minibatch (T): 5, unless tuned otherwise."""
    rate: float | None = None
    """Evolution rate (alpha)."""
    temperature: float | None = None
    """Multiplies the noise variance of the flow; 0 is deterministic. 1, unless tuned otherwise."""
    step: Literal["raw", "normalised"] | None = None
    """Follow the energy's gradient as it is (raw, unless tuned otherwise), or scaled to RMS 1 for
    each example (normalised)."""
    clamp: tuple[float, float] | None = None
    """Lowest and highest value of an evolved input, for instance [-1, 1]."""
    friction: float = 0.1
    """Friction of the Hamiltonian flow (tau)."""
    initial_velocity: Literal["zero", "thermal"] = "zero"
    """Where Hamiltonian velocities begin."""
    match: Literal["langevin", "hamiltonian", "distance"] | None = None
    """The flow whose total noise `+noise` has (langevin, unless tuned otherwise), or the distance
    that normalised steps go."""
    alignment: float | None = None
    """Weight of the dot product of gradients in the energy (beta): 0.003, unless tuned
    otherwise."""
    dot_product: Literal["fused", "central", "exact"] = "fused"
    """How that dot product is computed."""
    proximity: float = 0.0
    """Weight of the squared distance to the raw example in the energy."""
    space: str | None = None
    """Where examples evolve: input, embedding (texts), or the name of a layer, its output."""
    input_rate: float | None = None
    """On a layer: size (RMS) of one step that the input takes beside, up its own loss. 0, unless
    tuned otherwise."""
    evolve_stream: bool = False
    """Evolve the stream batch, too, and learn the evolved copies beside the raw ones, with the
    weight of evolved replay."""

    precision: Precision = "float32"
    """Of the training passes; auto: bfloat16 where the hardware computes in it, which may cost
    accuracy. Evolution stays in float32 where it has to."""
    device: Device = "auto"
    """Where the model is."""

    attacked: int = 0
    """Test images that are attacked by PGD at 4/255 at the end of each segment; 0 is off."""
    measured_on: Literal["test", "validation"] = "test"
    """The images behind every accuracy. With validation no test image is ever looked at: for
    choosing settings."""


LATER_FIELDS: dict[str, Any] = {
    "attacked": 0,
    "space": "input",
    "measured_on": "test",
    "evolve_stream": False,
    "input_rate": 0.0,
}
"""Fields that came after the first runs, with the value those had: left out of the hash and of the
comparison with config.yaml while they have it."""


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """`name=value` texts, as after --set, to fields of the config."""
    settings = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise UserError(f"--set got {text!r}; write it as name=value, for instance rate=0.02")
        try:
            settings[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UserError(f"--set {text!r} has a value that cannot be read") from error
    return settings


def with_settings(config: Config, settings: Mapping[str, Any]) -> Config:
    """The config with these fields, each checked against its type."""
    types_by_name = typing.get_type_hints(Config)
    values = {}
    for name, value in settings.items():
        if name not in types_by_name:
            raise unknown("setting", str(name), types_by_name)
        values[name] = _as_type(name, value, types_by_name[name])
    return dataclasses.replace(config, **values)


def _as_type(name: str, value: Any, wanted: Any) -> Any:
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is Literal:
        if value in arguments:
            return value
        allowed = ", ".join(str(a) for a in arguments)
        raise UserError(f"{name} is {value!r}; give one of {allowed}")
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        (wanted,) = (a for a in arguments if a is not type(None))
        return _as_type(name, value, wanted)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise UserError(f"{name} is {value!r}; give a list in brackets: [...]")
        if arguments[-1] is Ellipsis:
            return tuple(_as_type(name, v, arguments[0]) for v in value)
        if len(value) != len(arguments):
            raise UserError(f"{name} is {value!r}; give {len(arguments)} numbers: [low, high]")
        return tuple(_as_type(name, v, a) for v, a in zip(value, arguments, strict=True))
    if wanted is float:
        # YAML reads 1e-3 as text
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            _refuse(name, value, wanted)
        if isinstance(value, bool) or not math.isfinite(number):
            _refuse(name, value, wanted)
        return number
    if type(value) is not wanted:
        _refuse(name, value, wanted)
    return value


def _refuse(name: str, value: Any, wanted: type) -> typing.NoReturn:
    words = {float: "a finite number", int: "a whole number", bool: "true or false", str: "a name"}
    raise UserError(f"{name} is {value!r}; give {words[wanted]}")


def as_dict(config: Config) -> dict[str, Any]:
    """Plain data, tuples as lists."""
    plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))
    return plain


def without_later_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as the first runs had them, if they can be said that way.

    A later field that is open (None) says nothing yet.
    """
    return {
        name: value
        for name, value in settings.items()
        if name not in LATER_FIELDS or value not in (None, LATER_FIELDS[name])
    }


def config_hash(config: Config) -> str:
    """Eight hexadecimal digits over everything that changes numbers."""
    text = json.dumps(without_later_fields(as_dict(config)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def run_name(config: Config) -> str:
    """The name of the run directory."""
    return name_of_run(config.dataset, config.method, config.seed, config_hash(config))


def name_of_run(dataset: str, method: str, seed: int, digits: str) -> str:
    """The same from its parts, for a result of any version: `digits` is its config hash."""
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in dataset)
    return f"{plain}-{method}-s{seed}-{digits}"


def field_help(owner: type, name: str) -> str:
    """The docstring under a field of a dataclass."""
    body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(body, ast.ClassDef)
    for statement, after in pairwise(body.body):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.target.id == name
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            return " ".join(str(after.value.value).split())
    return ""

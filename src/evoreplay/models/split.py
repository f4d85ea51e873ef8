r"""A model in two parts: z = lift(x), logits = head(z).

Evolution may move the features z of any layer instead of the input. `split_at(model, "layer3")`
cuts a model behind the layer of that name: z is the layer's output, the lift is all that leads to
it, the head all that follows. Both use the model's own layers: there is nothing to keep in step.

The cut is made in the graph of the model's forward, which is followed once, without data, by
torch.fx; only modules that contain the layer are entered. All that the head needs must come through
z. One thing may go round it: what is computed from integer input without parameters, such as which
places of a text are padding. It is the same whatever z is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import Graph, GraphModule, Node, Tracer

from evoreplay.errors import UserError, require, unknown
from evoreplay.traceless import evaluating, traceless

OWN = "own"
"""The layer of a split that was not made by `split_at`."""


@dataclass(frozen=True, eq=False)
class Split:
    """The two parts of a model; `Split(lift=..., head=...)` takes your own."""

    lift: nn.Module
    """From an input of the model to z."""
    head: nn.Module
    """From z to logits; from z and the input, if `beside`."""
    layer: str = OWN
    """The layer whose output z is."""
    beside: bool = False
    """Whether the head also asks for the (integer) input."""

    def head_of(self, x: Tensor) -> nn.Module:
        """The head for the batch `x`: a module from z to logits."""
        return HeadOfBatch(self.head, x) if self.beside else self.head

    def logits(self, x: Tensor, shift: Tensor | None = None) -> Tensor:
        """head(lift(x) + shift)."""
        logits: Tensor = self.head_of(x)(shifted(self.lift(x), shift))
        return logits

    def check(self, model: nn.Module, x: Tensor, *, training: bool) -> None:
        """Refuse the split unless head(lift(x)) is model(x), as in training and in evaluation."""
        require(
            not (self.beside and x.dtype.is_floating_point),
            f"a split at {self.layer!r} is inside a residual connection: the input itself goes "
            "round it; split before or after the block",
        )
        for mode in (evaluating, traceless) if training else (evaluating,):
            with mode(model), torch.no_grad():
                whole = model(x)
            with mode(model), torch.no_grad():
                parts = self.logits(x)
            require(
                whole.shape == parts.shape and torch.allclose(whole, parts, rtol=1e-4, atol=1e-5),
                f"head(lift(x)) of the split at {self.layer!r} is not model(x); split at another "
                "layer (a dropout has to be an nn.Dropout), or give Split a lift and a head that "
                "together are the model",
            )


class HeadOfBatch(nn.Module):
    """A head that is given the input of its batch beside z."""

    def __init__(self, head: nn.Module, x: Tensor) -> None:
        super().__init__()
        self.head = head
        self.x = x

    def forward(self, z: Tensor) -> Tensor:
        """Z to logits."""
        logits: Tensor = self.head(z, self.x)
        return logits


def shifted(z: Tensor, shift: Tensor | None) -> Tensor:
    """Z + shift in the type of z; the sum is rounded once."""
    if shift is None:
        return z
    require(
        shift.shape == z.shape,
        f"a shift of shape {tuple(shift.shape[1:])} does not fit features of shape "
        f"{tuple(z.shape[1:])}; what memory keeps belongs to the space it was written in",
    )
    return (z + shift).to(z.dtype)


def split_at(model: nn.Module, layer: str) -> Split:
    """The model in two parts, cut behind `layer`; a learner checks it on its first batch."""
    graph = followed(model, layer)
    calls = [n for n in graph.nodes if n.op == "call_module" and n.target == layer]
    require(
        len(calls) == 1,
        f"{layer!r} is used {len(calls)} times in a forward pass; name a layer that is used once",
    )
    (cut,) = calls
    (result,) = (node for node in graph.nodes if node.op == "output")
    needed = ancestors(result, stop=cut)
    round_it = {n for n in needed if cut not in ancestors(n)}
    meets_z = {n for n in round_it if set(n.users) & (needed - round_it - {cut})}
    learned = [n.name for n in meets_z if comes_from(n, "placeholder") and has_parameters(n)]
    require(
        not learned,
        f"a split at {layer!r} is inside a residual connection: {', '.join(sorted(learned))} goes "
        "round it; split before or after the block",
    )
    inputs = [n for n in graph.nodes if n.op == "placeholder"]
    lift = part_of(graph, ancestors(cut), inputs, cut)
    beside = any(n.op == "placeholder" for n in round_it)
    head = part_of(graph, needed, [cut, *inputs] if beside else [cut], result.args[0])
    if any(getattr(layer_of(model, n), "inplace", False) for n in cut.users):
        protect_input(head)
    return Split(GraphModule(model, lift), GraphModule(model, head), layer, beside)


def followed(model: nn.Module, layer: str) -> Graph:
    """The graph of the model's forward; only modules that contain `layer` are entered."""
    layers = [name for name, _ in model.named_modules() if name]
    if layer not in layers:
        raise unknown("layer", layer, layers)

    class Follower(Tracer):
        def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
            return not layer.startswith(f"{module_qualified_name}.")

    try:
        graph = Follower().trace(model)
    except Exception as error:  # whatever the model's own code raises
        raise UserError(
            f"the forward of {type(model).__name__} cannot be followed to {layer!r} ({error}); "
            "give a split of your own: Split(lift=..., head=...)"
        ) from error
    inputs = [n.name for n in graph.nodes if n.op == "placeholder"]
    require(
        len(inputs) == 1,
        f"the forward of {type(model).__name__} takes {', '.join(inputs) or 'nothing'}; "
        "a model that is split takes one batch",
    )
    return graph


def ancestors(node: Node, stop: Node | None = None) -> set[Node]:
    """The node and all that it is computed from; nothing beyond `stop`."""
    found, open_ends = {node}, [node]
    while open_ends:
        current = open_ends.pop()
        if current is not stop:
            new = set(current.all_input_nodes) - found
            found |= new
            open_ends.extend(new)
    return found


def comes_from(node: Node, *kinds: str) -> bool:
    """Whether a node of these kinds has a part in it."""
    return any(n.op in kinds for n in ancestors(node))


def has_parameters(node: Node) -> bool:
    """Whether a layer or a parameter has a part in it."""
    return comes_from(node, "call_module", "get_attr")


def part_of(graph: Graph, nodes: set[Node], inputs: list[Node], output: Any) -> Graph:
    """The nodes as a graph of their own from `inputs` to `output`."""
    part = Graph()
    copies = {node: part.placeholder(node.name) for node in inputs}
    for node in graph.nodes:
        if node in nodes and node not in copies and node.op != "output":
            copies[node] = part.node_copy(node, copies.__getitem__)
    part.output(torch.fx.map_arg(output, copies.__getitem__))
    part.lint()
    return part


def layer_of(model: nn.Module, node: Node) -> nn.Module | None:
    """The layer that a node calls, if it calls one."""
    return model.get_submodule(str(node.target)) if node.op == "call_module" else None


def protect_input(graph: Graph) -> None:
    """Let the graph work on a copy: a layer that writes in place would change z itself."""
    z = next(iter(graph.nodes))
    with graph.inserting_after(z):
        copy = graph.call_method("clone", (z,))
    z.replace_all_uses_with(copy, delete_user_cb=lambda user: user is not copy)


def renamed(values: Mapping[str, Tensor], model: nn.Module, part: nn.Module) -> dict[str, Tensor]:
    """Values by the names of the model's parameters, by the names that `part` has for them."""
    names = {parameter: name for name, parameter in model.named_parameters()}
    pairs = ((name, names.get(parameter)) for name, parameter in part.named_parameters())
    return {name: values[own] for name, own in pairs if own is not None and own in values}

"""Memory points in the plane, moved by a flow: the paper's pictures of WGF-LD and WGF-SVGD.

A small network has learned two classes; its memory holds a few points of each. Evolved on the
energy U = -l, the points leave the middle of their class, where the loss is low, for the border
between the classes, where it is high: harder to memorise. Arrows are -grad U, the force of the
first term of each update; the second (noise, or repulsion) spreads the points.
"""

from __future__ import annotations

import io
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from evoreplay.evolution import Langevin, MemoryEnergy, Stein
from evoreplay.evolution.flow import Flow
from evoreplay.random_state import named_generator, seeded_random_state

FLOWS: dict[str, Flow] = {
    "WGF-LD": Langevin(steps=40, rate=0.003, temperature=0.05),
    "WGF-SVGD": Stein(steps=40, rate=0.02, temperature=0.05),
}
MOMENTS = (0, 1, 3)
"""Multiples of `steps` that are shown."""
POINTS = 14
COLOURS = ("#0072B2", "#D55E00")


def two_classes(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Two half moons that reach into each other, `count` points each."""
    angles = torch.rand(2, count, generator=generator) * torch.pi
    upper = torch.stack([angles[0].cos(), angles[0].sin()], dim=1)
    lower = torch.stack([1 - angles[1].cos(), 0.5 - angles[1].sin()], dim=1)
    noise = 0.08 * torch.randn(2 * count, 2, generator=generator)
    return torch.cat([upper, lower]) + noise, torch.arange(2).repeat_interleave(count)


def trained_network(x: Tensor, y: Tensor) -> nn.Module:
    """A smooth network that separates the classes."""
    with seeded_random_state(0, torch.device("cpu")):
        layers: list[nn.Module] = [nn.Linear(2, 32), nn.Softplus(), nn.Linear(32, 32)]
        model = nn.Sequential(*layers, nn.Softplus(), nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=1.0)
    for _ in range(200):
        optimizer.zero_grad()
        cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


def flow_positions(name: str) -> tuple[nn.Module, Tensor, list[Tensor]]:
    """The network, the labels of the memory points, and where these are at each moment."""
    flow = FLOWS[name]
    x, y = two_classes(200, named_generator(0, "order"))
    model = trained_network(x, y)
    picked = torch.cat([torch.arange(POINTS), 200 + torch.arange(POINTS)])
    labels, points = y[picked], x[picked]
    field = MemoryEnergy(alignment=0.0).bind(model, points, labels)
    generator = named_generator(0, "evolution")
    positions = [points]
    for _ in range(MOMENTS[-1]):
        positions.append(flow.evolve(positions[-1], field, generator=generator))
    return model, labels, [positions[n] for n in MOMENTS]


def flow_png() -> bytes:
    """A row of three moments for each flow."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.2), layout="constrained")
    axes = figure.subplots(len(FLOWS), len(MOMENTS), sharex=True, sharey=True)
    for row, name in zip(axes, FLOWS, strict=True):
        model, labels, moments = flow_positions(name)
        field = MemoryEnergy(alignment=0.0).bind(model, moments[0], labels)
        for number, (axis, points) in enumerate(zip(row, moments, strict=True)):
            with torch.no_grad():
                loss = float(cross_entropy(model(points), labels))
            axis.set_title(f"{name}, t{number}: mean loss {loss:.2f}", fontsize=10)
            _draw(axis, model, points, labels, -field(points))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


def _draw(axis: Any, model: nn.Module, points: Tensor, labels: Tensor, force: Tensor) -> None:
    sides = torch.linspace(-2.0, 3.0, 120), torch.linspace(-1.6, 2.1, 120)
    grid = torch.stack(torch.meshgrid(*sides, indexing="xy"), dim=2)
    with torch.no_grad():
        probability = model(grid.reshape(-1, 2)).softmax(dim=1)[:, 1].reshape(120, 120)
    axis.contourf(*sides, probability, levels=12, cmap="PuOr_r", alpha=0.45)
    axis.contour(*sides, probability, levels=[0.5], colors="#333333", linewidths=1.2)
    length = force.norm(dim=1, keepdim=True)
    # long enough to be seen, short enough to tell strong from weak
    arrows = 0.25 * force / (length + 0.2 * length.max() + 1e-9)
    axis.quiver(*points.T, *arrows.T, angles="xy", scale_units="xy", scale=0.6, width=0.005)
    for label, colour in enumerate(COLOURS):
        chosen = points[labels == label]
        axis.scatter(*chosen.T, s=34, color=colour, edgecolor="white", linewidth=0.8, zorder=3)
    axis.set(xlim=(-2.0, 3.0), ylim=(-1.6, 2.1), xticks=[], yticks=[])

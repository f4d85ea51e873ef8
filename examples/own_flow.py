"""A flow of your own, checked and then used by a learner: python examples/own_flow.py"""

from dataclasses import dataclass

import torch

import evoreplay as ev
from evoreplay.checks import check_flow


@dataclass(frozen=True, kw_only=True)
class HeavyBall(ev.Flow):
    """x <- x + v, v <- inertia v - rate grad U(x): descent that keeps some of its speed."""

    inertia: float = 0.5
    """Share of the velocity that is kept."""

    def move(self, x, energy_gradient, generator):
        """All steps; noise, if there were any, would be drawn by the generator."""
        velocity = torch.zeros_like(x)
        for _ in range(self.steps):
            velocity = self.inertia * velocity - self.rate * energy_gradient(x)
            x = x + velocity
        return x


# what every flow promises: shapes, types, determinism, no trace in the global random state
check_flow(lambda: HeavyBall(steps=3))
print("the checks are passed")

# without a model: the energy |x|^2 / 2 has the gradient x, and its minimum is at 0
generator = torch.Generator().manual_seed(0)
start = torch.randn(100, 2, generator=generator)
end = HeavyBall(steps=50, rate=0.1).evolve(start, lambda x: x, generator=generator)
print(f"distance to the minimum: {start.norm(dim=1).mean():.2f} -> {end.norm(dim=1).mean():.4f}")

# with a model: the energy is minus the loss, so replayed examples become harder
torch.manual_seed(0)
model = ev.MLP(inputs=2, classes=2, hidden=(20,))
learner = ev.ReplayLearner(
    model,
    torch.optim.SGD(model.parameters(), lr=0.1),
    memory=ev.ReservoirMemory(50),
    evolution=HeavyBall(steps=3, rate=0.1, step="normalised"),
    recipe="reference",
)
for _ in range(50):
    x = torch.randn(10, 2, generator=generator)
    step = learner.observe(x, (x[:, 0] > 0).long())
print(f"loss of the replayed examples: {step.loss_before:.3f} -> {step.loss_after:.3f}")

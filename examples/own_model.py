"""Your own network and your own stream: python examples/own_model.py

Sines of four frequencies arrive in an order that changes: first two kinds, later the other two.
Nobody tells the learner where the change is.
"""

import torch
from torch import nn

import evoreplay as ev

generator = torch.Generator().manual_seed(0)
torch.manual_seed(0)


def batch(kinds):
    """Ten noisy sines of the given kinds; anything that yields (x, y) is a stream."""
    y = torch.tensor(kinds)[torch.randint(len(kinds), (10,), generator=generator)]
    time = torch.linspace(0, 6.28, 40)
    x = torch.sin((y[:, None] + 1) * time + 0.3 * torch.randn(10, 1, generator=generator))
    return x[:, None] + 0.2 * torch.randn(10, 1, 40, generator=generator), y


# any module that maps a batch to logits, one for each class that may ever come
model = nn.Sequential(
    nn.Conv1d(1, 16, kernel_size=7, padding=3),
    nn.ReLU(),
    nn.MaxPool1d(4),
    nn.Flatten(),
    nn.Linear(160, 4),
)
learner = ev.ReplayLearner(
    model,
    torch.optim.Adam(model.parameters(), lr=0.005),
    memory=ev.ReservoirMemory(100),
    # normalised: one step moves an input by about the rate, whatever the scale of the gradient
    evolution=ev.Langevin(steps=2, rate=0.01, step="normalised", temperature=0),
    recipe="reference",
)

early = [batch([0, 1]) for _ in range(60)]
late = [batch([2, 3]) for _ in range(60)]
# each batch is predicted before it is learned: no example has to be held out
for tested in ev.prequential(learner, early + late, window=200):
    if tested.batch % 20 == 0:
        print(f"batch {tested.batch}: accuracy of the last 200 {tested.window_accuracy:.2f}")

x, y = batch([0, 1])
print(f"of the kinds that have not come for 60 batches: {(learner.predict(x) == y).sum()} of 10")

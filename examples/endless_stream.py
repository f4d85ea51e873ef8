"""A stream that never ends: python examples/endless_stream.py FOLDER [--batches N]

Stop it with Ctrl-C or SIGTERM, start it again, and it goes on as if it had never stopped.
"""

import argparse
import signal
from pathlib import Path

import torch

import evoreplay as ev


class Sensor:
    """Batches without end; a source that can `seek` need not be read again from the start."""

    def seek(self, position):
        """Go to that batch."""
        self.position = position

    def __iter__(self):
        while True:
            generator = torch.Generator().manual_seed(self.position)
            # the classes drift slowly, as sensors do
            y = torch.randint(4, (10,), generator=generator)
            angle = 1.57 * y + self.position / 500
            centre = torch.stack([angle.cos(), angle.sin()], dim=1)
            self.position += 1
            yield centre + 0.3 * torch.randn(10, 2, generator=generator), y


parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--batches", type=int, default=float("inf"), help="of all starts together")
options = parser.parse_args()

torch.manual_seed(0)
model = ev.MLP(inputs=2, classes=4, hidden=(50,))
parts = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}
if any(options.folder.glob("state-*")):
    learner = ev.ReplayLearner.load(options.folder, **parts)
else:
    learner = ev.ReplayLearner(**parts, memory=ev.ReservoirMemory(200), evolution=ev.Langevin())

# a signal only leaves a note: the step that is under way is finished first
asked_to_stop = []
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: asked_to_stop.append(True))

print(f"begins at batch {learner.steps}", flush=True)
# every batch is one step, so the learner itself knows how far the stream was read
stream = ev.from_iterable(Sensor()).batches(learner.steps)
while not asked_to_stop and learner.steps < options.batches:
    step = learner.observe(*next(stream))
    if learner.steps % 100 == 0:
        learner.save(options.folder)  # what even kill -9 would leave
        print(f"batch {learner.steps}: loss {step.stream_loss:.3f}", flush=True)
learner.save(options.folder)
print(f"saved after batch {learner.steps}")

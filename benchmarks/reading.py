"""What reading CIFAR-10 costs in a full ER run: CPU time of the whole stream against its steps.

EVOREPLAY_DATA=... python benchmarks/reading.py
"""

import sys
import time

import torch

from evoreplay import Config
from evoreplay.running.assembly import make_learner
from evoreplay.running.protocol import resolved
from evoreplay.running.setup import make_model, prepare_experiment

STEPS = 30
BAR = 0.02

torch.set_num_threads(1)
config = resolved(Config(dataset="cifar10", method="er"))

prepare_experiment(config)  # decode once, if nobody has yet
began = time.process_time()
experiment = prepare_experiment(config)
loading = time.process_time() - began

began = time.process_time()
for _ in experiment.stream:
    pass
reading = time.process_time() - began

learner = make_learner(config, make_model(config, experiment.dataset))
batches = list(experiment.stream.batches(len(experiment.stream) - STEPS - 5))
for batch in batches[:5]:
    learner.observe(*batch)
began = time.process_time()
for batch in batches[5:]:
    learner.observe(*batch)
steps = (time.process_time() - began) / STEPS * len(experiment.stream)

print(f"load {loading:.2f} s, read {len(experiment.stream)} batches {reading:.2f} s")
print(f"{len(experiment.stream)} ER steps {steps:.0f} s of CPU time, one thread")
share = (loading + reading) / steps
print(f"reading-share {share:.4f}  (bar: {BAR})")
sys.exit(int(share > BAR))

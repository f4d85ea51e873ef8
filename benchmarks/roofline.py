"""Floating-point operations of an ER step against what a large matrix product reaches.

Same core, same run: python benchmarks/roofline.py
"""

from statistics import median

import torch
from torch.nn.functional import cross_entropy
from torch.utils.flop_counter import FlopCounterMode

from evoreplay.benchmarks.timing import interleaved
from evoreplay.models import ResNet18, in_channels_last

SIZE = 1024

torch.set_num_threads(1)
matrix = torch.randn(SIZE, SIZE)
images, labels = torch.randn(10, 3, 32, 32), torch.arange(10)
contiguous, channels_last = ResNet18(10), in_channels_last(ResNet18(10))


def training_pass(model: torch.nn.Module) -> None:
    """Forward and backward of ten images."""
    model.zero_grad()
    cross_entropy(model(images), labels).backward()


with FlopCounterMode(display=False) as counter:
    training_pass(channels_last)
operations = counter.get_total_flops()
times = interleaved(
    {
        "matrix product": lambda: matrix @ matrix,
        "training pass, contiguous": lambda: training_pass(contiguous),
        "training pass, channels last": lambda: training_pass(channels_last),
    },
    rounds=20,
)
print(f"a training pass of 10 images: {operations / 1e9:.2f} GFLOP; an ER step is two of them")
for name, values in times.items():
    work = 2 * SIZE**3 if name == "matrix product" else operations
    seconds = median(values)
    print(f"{name}: {1000 * seconds:.1f} ms, {work / seconds / 1e9:.1f} GFLOP/s")

"""Does training in bfloat16 cost accuracy? Simulated, for machines without bfloat16 arithmetic.

Hardware multiplies bfloat16 numbers and adds the products in float32. The same here: inputs,
weights and results of every convolution, linear and normalisation layer are rounded to bfloat16,
forward and backward, and what is between is computed in float32. Where the hardware has bfloat16,
compare `--set precision=bfloat16` with `precision=float32` instead.

    python benchmarks/simulated_bfloat16.py --out runs/simulated --seeds 5 --scale 0.2
"""

import argparse
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import conv2d, linear

from evoreplay import Config, run


class Rounded(torch.autograd.Function):
    """The nearest bfloat16 number, of values and of gradients."""

    @staticmethod
    def forward(ctx, x):  # noqa: ARG004
        return x.bfloat16().float()

    @staticmethod
    def backward(ctx, gradient):  # noqa: ARG004
        return gradient.bfloat16().float()


def rounded(x):
    """As it is passed from layer to layer."""
    return Rounded.apply(x)


class RoundedConv2d(nn.Conv2d):
    """A convolution of bfloat16 numbers."""

    def forward(self, x):
        x, weight = rounded(x), rounded(self.weight)
        return rounded(conv2d(x, weight, self.bias, self.stride, self.padding))


class RoundedLinear(nn.Linear):
    """A matrix product of bfloat16 numbers."""

    def forward(self, x):
        return rounded(linear(rounded(x), rounded(self.weight), self.bias))


class RoundedBatchNorm2d(nn.BatchNorm2d):
    """Normalised in float32, passed on in bfloat16."""

    def forward(self, x):
        return rounded(super().forward(x))


KINDS = {
    nn.Conv2d: RoundedConv2d,
    nn.Linear: RoundedLinear,
    nn.BatchNorm2d: RoundedBatchNorm2d,
}


def in_simulated_bfloat16(model):
    """The same weights in layers that round."""
    for module in model.modules():
        module.__class__ = KINDS.get(type(module), type(module))
    return model


def main():
    """One run after the other; each continues where it was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=0.2)
    parser.add_argument("--method", default="er")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    running = sys.modules["evoreplay.running.run"]
    make_model = running.make_model
    running.make_model = lambda *arguments: in_simulated_bfloat16(make_model(*arguments))
    for seed in range(options.seeds):
        config = Config(
            dataset="cifar10",
            method=options.method,
            seed=seed,
            scale=options.scale,
            precision="float32",
        )
        outcome = run(config, out=options.out, data=options.data)
        print(outcome.path, outcome.result["final_accuracy"], flush=True)


if __name__ == "__main__":
    main()

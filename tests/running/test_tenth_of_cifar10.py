"""A tenth of the real CIFAR-10 stream, as in experiments/cifar10_tenth.yaml."""

import os
from pathlib import Path
from statistics import fmean

import pytest

from evoreplay import run
from evoreplay.running.experiment_file import read_experiment

EXPERIMENT = Path(__file__).parents[2] / "experiments" / "cifar10_tenth.yaml"


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("EVOREPLAY_DATA"), reason="EVOREPLAY_DATA is not set: no real CIFAR-10"
)
def test_replay_beats_fine_tuning_on_a_tenth_of_cifar10_over_3_seeds(tmp_path):
    results = {
        (config.method, config.seed): run(config, out=tmp_path).result
        for config in read_experiment(EXPERIMENT)
        if config.method in ("er", "fine-tuning")
    }

    def late(method, seed):
        """Mean anytime accuracy of the last quarter: the last moment alone swings by points."""
        values = [m["accuracy"] for m in results[method, seed]["anytime_accuracy"]]
        return fmean(values[-6:])

    assert all(late("er", seed) > late("fine-tuning", seed) + 0.01 for seed in range(3))
    final = {key: result["final_accuracy"] for key, result in results.items()}
    assert fmean(final["er", s] - final["fine-tuning", s] for s in range(3)) > 0

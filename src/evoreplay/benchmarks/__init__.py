"""Speed, as ratios measured in one run."""

from evoreplay.benchmarks.report import Benchmark, run_benchmark

__all__ = ["Benchmark", "run_benchmark"]

"""How often does a network not know its own raw memory?

While noise marks the old classes (`noisy_is_old.py`), a network knows the noisy copies that it
replays and not the raw images behind them. Reports measure the mean loss of the raw memory along
the stream, so this needs no network, only results: for each run the share of the moments from the
third segment on at which that loss is above 1, and the loss at the last of them. er, which replays
the raw images, is the comparison.

    python analyses/unknown_memory.py docs/results/cifar10.json
"""

import argparse
import tempfile
from pathlib import Path

from evoreplay.reports.packed_results import unpacked
from evoreplay.reports.report import make_report

BOUND, FIRST_SEGMENTS = 1.0, 2


def late_losses(run):
    """Mean loss of the raw memory, by moment, after the first two segments."""
    begin = run.segment_ends[FIRST_SEGMENTS - 1]
    return [k.loss for batch, k in sorted(run.memory.known.items()) if batch > begin]


def share_unknown(losses):
    """Of moments at which the loss is above the bound."""
    return sum(loss > BOUND for loss in losses) / len(losses)


def main():
    """One line for each row of the report: a share and a last loss for each seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results.json of `evoreplay reproduce`")
    options = parser.parse_args()
    print(f"share of late moments with memory loss above {BOUND:g}, % (last loss), by seed")
    with tempfile.TemporaryDirectory() as folder:
        unpacked(options.results, Path(folder))
        for part in make_report(Path(folder)).sections:
            for group in part.section.groups:
                losses = {run.seed: late_losses(run) for run in group.runs}
                cells = (
                    f"s{seed} {100 * share_unknown(late):3.0f} ({late[-1]:.2f})"
                    for seed, late in sorted(losses.items())
                    if late
                )
                print(f"{group.label:42} {'  '.join(cells) or 'no memory'}")


if __name__ == "__main__":
    main()

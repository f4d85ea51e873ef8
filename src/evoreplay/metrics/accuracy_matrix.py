r"""The accuracy matrix, and what is read from it.

acc[i][j] is the accuracy on segment i after segment j, None before segment i was seen.

    final accuracy = mean_i acc[i][last]
    forgetting     = mean over i < last of ( max_j acc[i][j] - acc[i][last] ), never negative

Reference: Chaudhry et al., "Riemannian Walk for Incremental Learning", 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

AccuracyMatrix = Sequence[Sequence[float | None]]


def final_accuracy(matrix: AccuracyMatrix) -> float:
    """Mean accuracy over all segments after the last."""
    return fmean(_measured(row)[-1] for row in matrix)


def forgetting(matrix: AccuracyMatrix) -> float | None:
    """Mean loss from the best to the last accuracy, over all segments but the last."""
    if len(matrix) < 2:
        return None
    return fmean(max(_measured(row)) - _measured(row)[-1] for row in matrix[:-1])


def _measured(row: Sequence[float | None]) -> list[float]:
    return [value for value in row if value is not None]

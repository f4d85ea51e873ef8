import numpy as np
import pytest
import scipy.stats
import torch

from evoreplay import UniformRetrieval, UserError
from evoreplay.checks import RETRIEVAL_CHECKS
from evoreplay.retrieval.uniform import draw_without_replacement


@pytest.mark.parametrize("check", RETRIEVAL_CHECKS, ids=lambda check: check.__name__)
def test_uniform_retrieval_passes_the_generic_checks(check):
    check(lambda: UniformRetrieval(10))


@pytest.mark.parametrize("held", [30, 1000])
def test_every_slot_is_drawn_equally_often(held):
    generator = torch.Generator().manual_seed(0)
    counts = np.zeros(held)
    for _ in range(6000):
        counts[draw_without_replacement(held, 10, generator).numpy()] += 1
    statistic = ((counts - counts.mean()) ** 2 / counts.mean()).sum() / (1 - 10 / held)
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], df=held - 1)
    assert low < statistic < high


def test_a_size_of_nothing_is_refused():
    with pytest.raises(UserError, match="retrieval size is 0"):
        UniformRetrieval(0)

"""Signed ranks against SciPy: its exact distribution, its approximation; all signs where ranks are shared."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sweepless.reports.run_statistics import signed_ranks


@pytest.mark.parametrize("seed", range(5))
def test_distinct_differences_have_the_exact_distribution(seed):
    differences = np.random.default_rng(seed).normal(0.4, 1.0, 9)
    expected = stats.wilcoxon(differences, method="exact")
    assert signed_ranks(differences.tolist()) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


@pytest.mark.parametrize("differences", [[1, 1, 2, -2, 3], [0, 1, 1, 1, -1, 2], [1, 2, 2, 2, 5, -2, 0, 7]])
def test_equal_differences_share_their_ranks(differences):
    kept = np.array([difference for difference in differences if difference])
    ranks = stats.rankdata(abs(kept))
    sums = np.array(
        [ranks[list(signs)].sum() for signs in product((False, True), repeat=len(kept))]
    )  # all alike likely
    up = ranks[kept > 0].sum()
    w, p = signed_ranks([float(difference) for difference in differences])
    assert w == min(up, ranks.sum() - up)
    assert p == pytest.approx(min(1.0, 2 * min((sums <= up).mean(), (sums >= up).mean())), rel=1e-12)


def test_nine_losses_and_a_tie():
    assert signed_ranks([-float(k) for k in range(1, 10)] + [0.0]) == (0.0, 2 / 512)


def test_many_pairs_are_approximated():
    differences = np.random.default_rng(1).normal(0.2, 1.0, 80)
    expected = stats.wilcoxon(differences, method="approx")
    assert signed_ranks(differences.tolist()) == pytest.approx((expected.statistic, expected.pvalue))

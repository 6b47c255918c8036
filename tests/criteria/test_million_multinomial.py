"""The multinomial kernel where products would leave the range of doubles: many classes, great counts and sizes."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria import MultinomialBhattacharyya


def plain(N, sizes, n_samples, members):
    counts = N[:, members]
    masses = counts.sum(axis=1)
    theta = np.sqrt((1 + counts) / (len(members) + masses)[:, None])
    priors = sizes / sizes.sum()
    return -masses.sum() / n_samples * np.triu(np.outer(priors, priors) * np.log(theta @ theta.T), 1).sum()


def require_plain_values(cursor, N, sizes, n_samples):
    cursor.jump(np.arange(1, 24, 3))
    for direction in Direction:
        pool = direction.pool(cursor.members)
        subsets = [np.flatnonzero(direction.applied(cursor.members, f)) for f in pool]
        found = cursor.peek(direction, pool)
        assert found.tolist() == [cursor.evaluate(subset) for subset in subsets]
        assert found == pytest.approx([plain(N, sizes, n_samples, subset) for subset in subsets], rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 7, 60])
@pytest.mark.parametrize("scale", [1, 10**6])
def test_values_with_unequal_classes_and_great_counts(n_classes, scale):
    draws = np.random.default_rng(n_classes)
    sizes = np.maximum(1, (700 / np.arange(1, n_classes + 1) ** 1.3).astype(int))
    codes = np.repeat(np.arange(n_classes), sizes)[::-1]
    # Some features are in every class's mass by the million, some hardly occur: sums differ by many orders.
    rates = draws.gamma(0.2, 1.0, (n_classes, 24)) * np.where(np.arange(24) % 3, 1, scale)
    X = draws.poisson(rates[codes])
    cursor = MultinomialBhattacharyya().bind(Dataset(X, codes))
    N = np.array([X[codes == c].sum(axis=0) for c in range(n_classes)], dtype=float)
    require_plain_values(cursor, N, sizes, len(codes))


@pytest.mark.parametrize("n_classes", [2, 4, 5, 6, 7, 300])
@pytest.mark.parametrize("scale", [1, 10**7])
def test_values_with_equal_classes_whose_sums_differ_by_many_orders(n_classes, scale):
    draws = np.random.default_rng(n_classes)
    codes = np.arange(n_classes)
    X = draws.poisson(draws.gamma(0.2, 1.0, (n_classes, 24)) * np.where(np.arange(n_classes) % 2, 1, scale)[:, None])
    cursor = MultinomialBhattacharyya().bind(Dataset(X, codes))
    require_plain_values(cursor, X.astype(float), np.ones(n_classes), n_classes)

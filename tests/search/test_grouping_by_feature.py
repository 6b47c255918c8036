"""Which entries change which feature: sorted or counted, the same lists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sweepless.engine.folds import by_feature


@pytest.mark.parametrize(
    ("n_features", "n_entries", "width"), [(50, 1, 1), (50, 20, 1), (50, 20, 3), (50, 30, 48), (5, 9, 5), (7, 2, 4)]
)
def test_every_change_is_listed_by_feature_and_entry(n_features, n_entries, width):
    draws = np.random.default_rng(width)
    changed = np.array([draws.choice(n_features, width, replace=False) for _ in range(n_entries)])
    features, entries, starts = by_feature(changed, n_features)
    expected = {f: [e for e in range(n_entries) if f in changed[e]] for f in range(n_features)}
    expected = {f: found for f, found in expected.items() if found}
    assert features.tolist() == list(expected)
    assert [entries[a:b].tolist() for a, b in pairwise(starts)] == list(expected.values())

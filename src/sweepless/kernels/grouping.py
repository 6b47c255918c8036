"""Which entries of a batch change which feature."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features
from sweepless.kernels._jit import kernel


@kernel
def by_feature(changed: Features, n_features: int) -> tuple[Features, Features, Features]:
    """Return the changed features in ascending order, all their entries one after the other, and where each starts."""
    n_entries, width = changed.shape
    if changed.size > n_features:
        return _counted_by_feature(changed, n_features)
    key = np.empty(n_entries * width, dtype=np.int64)
    for entry in range(n_entries):
        for place in range(width):
            key[entry * width + place] = changed[entry, place] * n_entries + entry
    key.sort()
    features = np.empty(len(key), dtype=np.intp)
    starts = np.empty(len(key) + 1, dtype=np.intp)
    entries = np.empty(len(key), dtype=np.intp)
    n_changed = 0
    for k in range(len(key)):
        f = key[k] // n_entries
        entries[k] = key[k] % n_entries
        if n_changed == 0 or features[n_changed - 1] != f:
            features[n_changed] = f
            starts[n_changed] = k
            n_changed += 1
    starts[n_changed] = len(key)
    return features[:n_changed].copy(), entries, starts[: n_changed + 1].copy()


@kernel
def _counted_by_feature(changed: Features, n_features: int) -> tuple[Features, Features, Features]:
    """Do the same by counting, where many entries change many features (mirrored probes)."""
    n_entries, width = changed.shape
    ends = np.zeros(n_features, dtype=np.intp)
    for entry in range(n_entries):
        for place in range(width):
            ends[changed[entry, place]] += 1
    features = np.flatnonzero(ends)
    starts = np.zeros(len(features) + 1, dtype=np.intp)
    for k in range(len(features)):
        starts[k + 1] = starts[k] + ends[features[k]]
        ends[features[k]] = starts[k]
    entries = np.empty(n_entries * width, dtype=np.intp)
    for entry in range(n_entries):
        for place in range(width):
            f = changed[entry, place]
            entries[ends[f]] = entry
            ends[f] += 1
    return features, entries, starts

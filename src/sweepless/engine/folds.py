"""How a batch is folded into running means: entry by entry, as defined, or all features in one pass."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from sweepless._typing import Features, Mask, Values
from sweepless.kernels.sampling.statistics import fold_sequential
from sweepless.kernels.sampling.statistics_fast import Side, fold_fast


class Fold(Protocol):
    """Folds the values of a batch into the means with and without each feature."""

    count_type: Any
    """What updates are counted in."""

    def __call__(
        self, values: Values, common: Mask, changed: Features, rate: Values, inside: Side, outside: Side
    ) -> None:
        """Fold subsets that differ from `common` in the features of one row of `changed` each."""


class SequentialFold:
    """One entry after the other over all features: the definition, in the reference program's order of sums."""

    count_type = np.int64

    def __call__(
        self, values: Values, common: Mask, changed: Features, rate: Values, inside: Side, outside: Side
    ) -> None:
        means, counts = (inside.means, outside.means), (inside.counts, outside.counts)
        fold_sequential(values, common, changed, rate, *means, *counts)


class FastFold:
    """One pass over all features for the whole batch: equal to the definition up to rounding."""

    count_type = np.int32  # half the memory to pass through at every step

    def __call__(
        self, values: Values, common: Mask, changed: Features, rate: Values, inside: Side, outside: Side
    ) -> None:
        features, entries, starts = by_feature(changed, len(common))
        few_inside = 2 * int(np.count_nonzero(common)) <= len(common)
        is_few = common if few_inside else ~common
        sides = (inside, outside) if few_inside else (outside, inside)
        fold_fast(values, np.flatnonzero(is_few), features, entries, starts, is_few[features], rate, *sides)


def by_feature(changed: Features, n_features: int) -> tuple[Features, Features, Features]:
    """Return the changed features in ascending order, all their entries one after the other, and where each starts."""
    n_entries, width = changed.shape
    flat = changed.ravel()
    if len(flat) > n_features:  # many entries change many features (mirrored probes): a transposition counts
        bounds = np.arange(0, len(flat) + 1, width)
        by_entry = sparse.csr_matrix((np.ones(len(flat), dtype=np.bool_), flat, bounds), (n_entries, n_features))
        transposed = by_entry.tocsc()
        features = np.flatnonzero(np.diff(transposed.indptr))
        starts = np.append(transposed.indptr[features], len(flat)).astype(np.intp)
        return features, transposed.indices.astype(np.intp), starts
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    is_first = np.ones(len(flat) + 1, dtype=np.bool_)  # of its feature; and one past the end
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:-1])
    starts = np.flatnonzero(is_first)
    return ordered[starts[:-1]], order // width, starts

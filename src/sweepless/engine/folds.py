"""Two ways to fold a batch into running means: entry by entry, as defined, or all features in one pass."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from sweepless._masks import marked
from sweepless._typing import Features, Mask, Values
from sweepless.kernels.sampling.statistics import fold_sequential
from sweepless.kernels.sampling.statistics_fast import Side, fold_fast


class Fold(Protocol):
    """Folds the values of a batch into the means with and without each feature."""

    count_type: Any
    """The integer type of the counts."""

    def __call__(
        self,
        values: Values,
        common: Mask,
        changed: Features,
        rate: Values,
        inside: Side,
        outside: Side,
        contrast: Values,
    ) -> None:
        """Fold the values of subsets that each differ from `common` in the features of one row of `changed`.

        `contrast` is set to the means inside minus those outside.
        """


class SequentialFold:
    """Folds one entry after the other over all features: the definition, summed in the reference program's order."""

    count_type = np.int64

    def __call__(
        self,
        values: Values,
        common: Mask,
        changed: Features,
        rate: Values,
        inside: Side,
        outside: Side,
        contrast: Values,
    ) -> None:
        means, counts = (inside.means, outside.means), (inside.counts, outside.counts)
        fold_sequential(values, common, changed, rate, *means, *counts)
        np.subtract(*means, out=contrast)


class FastFold:
    """Folds the whole batch in one pass over all features, equal to the definition up to rounding."""

    count_type = np.int32  # half the memory traffic of every step

    def __call__(
        self,
        values: Values,
        common: Mask,
        changed: Features,
        rate: Values,
        inside: Side,
        outside: Side,
        contrast: Values,
    ) -> None:
        features, entries, starts = by_feature(changed, len(common))
        few = marked(common)
        if 2 * len(few) <= len(common):
            fold_fast(values, few, features, entries, starts, common[features], rate, inside, outside, contrast)
            return
        few = marked(~common)
        fold_fast(values, few, features, entries, starts, ~common[features], rate, outside, inside, contrast)
        np.negative(contrast, out=contrast)


def by_feature(changed: Features, n_features: int) -> tuple[Features, Features, Features]:
    """Return the changed features in ascending order, their entries grouped, and where each group starts."""
    n_entries, width = changed.shape
    flat = changed.ravel()
    if len(flat) > n_features:  # as for mirrored probes: transposing is faster than sorting
        bounds = np.arange(0, len(flat) + 1, width)
        by_entry = sparse.csr_matrix((np.ones(len(flat), dtype=np.bool_), flat, bounds), (n_entries, n_features))
        transposed = by_entry.tocsc()
        features = np.flatnonzero(np.diff(transposed.indptr))
        starts = np.append(transposed.indptr[features], len(flat)).astype(np.intp)
        return features, transposed.indices.astype(np.intp), starts
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    is_first = np.ones(len(flat) + 1, dtype=np.bool_)  # of each feature, and one past the end
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:-1])
    starts = np.flatnonzero(is_first)
    return ordered[starts[:-1]], order // width, starts

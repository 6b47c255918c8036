"""k-NN on subsets anywhere: float32 sums over all features of a subset, the definition where they prove nothing."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbor_filter import decide
from sweepless.kernels.neighbors import Frame, add_terms, insert, rooted, term, vote


@kernel
def count_correct_anywhere(
    frame: Frame,
    columns: Values,
    centred: AnyArray,
    span: float,
    n_neighbors: int,
    manhattan: bool,
    votes: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows for the subset whose columns, ascending, are given.

    `votes` is a note pad, a cell per class; None for one neighbour.

    A sum of d float32 terms, none larger than its feature's share of `span`, is off by at most 5u span for the
    terms and d u v for the sums, u = 2**-24; twice that is allowed for.
    """
    n_groups, n_columns = frame.col_sample.shape
    slope = 2.0 * (len(columns) + 2.0) * 2.0**-24
    offset = 16.0 * 2.0**-24 * span + 1e-43 * len(columns)
    gathered = np.empty((n_groups, len(columns), n_columns), dtype=np.float32)
    padding = np.zeros((n_groups, n_columns), dtype=np.float32)
    for g in range(n_groups):
        for j in range(n_columns):
            if frame.col_fold[g, j] < 0:
                padding[g, j] = np.inf
        for k in range(len(columns)):
            for j in range(index(n_columns)):
                gathered[g, k, j] = centred[k, frame.col_sample[g, j]]
    shared = n_groups == 1  # the only case in which a column of the group may be of the row's own fold
    scratch = np.empty(n_columns + 1, dtype=np.float32)
    bits = scratch.view(np.int32)
    near = scratch[:n_columns]
    one = np.float32(1.0)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    for r in range(len(frame.row_sample)):
        group = frame.row_group[r]
        for j in range(n_columns):
            near[j] = padding[group, j]
        for k in range(len(columns)):
            add_terms(near, centred[k, frame.row_sample[r]], gathered[group, k], one, manhattan)
        if shared:
            for j in range(n_columns):
                if frame.col_fold[group, j] == frame.row_fold[r]:
                    near[j] = np.inf
        winner, reach = decide(
            scratch,
            bits,
            frame.row_class[r],
            frame.class_start[group],
            n_neighbors,
            slope,
            offset,
            best,
            best_column,
            votes,
        )
        if reach >= 0.0:
            n_found = 0
            for j in range(n_columns):
                value = float(near[j])
                if value < np.inf and value - slope * value - offset <= reach:
                    i, other = frame.row_sample[r], frame.col_sample[group, j]
                    total = 0.0
                    for k in range(len(columns)):
                        total += term(columns[k, i] - columns[k, other], manhattan)
                    rank = frame.col_rank[group]
                    n_found = insert(best, best_column, n_found, n_neighbors, rooted(total, manhattan), j, rank)
            winner = vote(best_column, n_found, frame.class_start[group], votes)
        correct[frame.row_account[r]] += winner == frame.row_class[r]

"""k-NN on any subset: float32 sums over all its features, and the definition where these prove nothing."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, integer, kernel, maker
from sweepless.kernels.neighbors.decision import decide
from sweepless.kernels.neighbors.definition import Frame, add_terms, insert, points, rooted, summed, vote


@maker
def count_correct_anywhere(
    frame: Frame,
    columns: Values,
    centered: AnyArray,
    span: float,
    n_neighbors: int,
    manhattan: bool,
    votes: Counts | None,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows, or their points, for the subset whose columns, ascending, are given.

    `votes` is working space, see `ballot_for`.

    A sum v of d float32 terms, none larger than its feature's share of `span`, is off by at most 5u span from the
    terms and d u v from the additions, where u = 2**-24; the bound used is twice that.
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
                gathered[g, k, j] = centered[k, frame.col_sample[g, j]]
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
        here = centered[:, frame.row_sample[r]]
        first = 0
        if not manhattan:
            for first in range(0, len(columns) - 3, 4):
                _add_four_terms(near, here[first : first + 4], gathered[group, first : first + 4])
            first = len(columns) - len(columns) % 4
        for k in range(first, len(columns)):
            add_terms(near, here[k], gathered[group, k], one, manhattan)
        if shared:
            for j in range(n_columns):
                if frame.col_fold[group, j] == frame.row_fold[r]:
                    near[j] = np.inf
        winner, reach = decide(
            scratch,
            bits,
            frame.row_class[r],
            frame.class_start[group],
            frame.col_class[group],
            n_neighbors,
            slope,
            offset,
            best,
            best_column,
            votes,
        )
        if reach >= 0.0:
            n_found = integer(0)
            for place in range(n_columns):
                j = frame.col_order[group, place]
                value = float(near[j])
                if value < np.inf and value - slope * value - offset <= reach:
                    total = summed(columns, frame.row_sample[r], frame.col_sample[group, j], manhattan)
                    n_found = insert(best, best_column, n_found, n_neighbors, rooted(total, manhattan), j)
                    if best[n_neighbors - 1] == 0.0 and n_found == n_neighbors:
                        break  # columns come by rank: no other is nearer or wins a tie
            winner = vote(best_column, n_found, frame.col_class[group], votes)
        correct[frame.row_account[r]] += points(winner, frame.row_class[r], votes, gains)


@kernel
def _add_four_terms(total: AnyArray, here: AnyArray, there: AnyArray) -> None:
    """Add the squares of four features in one pass over the totals instead of four."""
    here_0, here_1, here_2, here_3 = here[0], here[1], here[2], here[3]
    there_0, there_1, there_2, there_3 = there[0], there[1], there[2], there[3]
    for j in range(index(len(total))):
        difference_0 = here_0 - there_0[j]
        difference_1 = here_1 - there_1[j]
        difference_2 = here_2 - there_2[j]
        difference_3 = here_3 - there_3[j]
        total[j] += (difference_0 * difference_0 + difference_1 * difference_1) + (
            difference_2 * difference_2 + difference_3 * difference_3
        )

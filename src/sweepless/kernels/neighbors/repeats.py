"""k-NN for several partitions into folds at once: distances and the nearest samples are found once for all of them.

The frame is that of leave-one-out, where every other sample is a column. A list of the nearest columns of a row serves
all partitions: the columns of the row's own fold are passed over. Where the list ends too early, or proves no order,
the row is decided for that partition as if it were the only one.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.kernels._jit import index, inner, integer, maker
from sweepless.kernels.neighbors.by_definition import ABREAST, WORD, nearest_by_definition
from sweepless.kernels.neighbors.decision import decide, nearest
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, Frame, add_terms, points, vote


@maker
def count_repeated(
    frame: Frame,
    some_rows: Features,
    distances: AnyArray,
    rows: Values,
    slots: Counts,
    columns: Values,
    centered: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    n_neighbors: int,
    n_listed: int,
    manhattan: bool,
    row_fold: Counts,
    col_fold: Counts,
    first_account: Counts,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows of some, or their points, per candidate and fold of each partition.

    `row_fold` and `col_fold` hold the folds of each partition, `first_account` where its folds are counted, and
    `n_listed` the length of the lists. Other arguments are as in `count_correct`.
    """
    n_columns = frame.col_sample.shape[1]
    near = np.empty(n_columns + 1, dtype=np.float32)
    row = np.empty((1, (n_columns // WORD + 1) * WORD), dtype=np.float32)
    signed = np.float32(sign)
    some, totals = np.empty(ABREAST, dtype=np.int64), np.empty(ABREAST)
    listed, listed_column = np.empty(n_listed + 1), np.empty(n_listed + 1, dtype=np.int64)
    best, best_column = np.empty(n_neighbors + 1), np.empty(n_neighbors + 1, dtype=np.int64)
    votes = np.zeros(frame.class_start.shape[1] - 1, dtype=np.int64)
    gathered = np.empty((len(columns), n_columns), dtype=np.float32)
    for c in range(len(columns)):
        for j in range(index(n_columns)):
            gathered[c, j] = centered[c, frame.col_sample[0, j]]
    # Views are taken here, because in an inner loop they would be counted again and again.
    near_bits, nearer = near.view(np.int32), near[:n_columns]
    row_bits = row.view(np.int32)
    masked, bits = row[0, : n_columns + 1], row_bits[0, : n_columns + 1]
    col_sample, col_class = frame.col_sample[0], frame.col_class[0]
    col_rank, class_start = frame.col_rank[0], frame.class_start[0]
    for place in range(len(some_rows)):
        r = some_rows[place]
        base = distances[place]
        i, own = frame.row_sample[r], frame.row_class[r]
        for c in range(len(columns)):
            for j in range(index(n_columns)):
                near[j] = base[j]
            add_terms(nearer, centered[c, i], gathered[c], signed, manhattan)
            offset = OFFSET * spans[c] + drift
            n_near = nearest(near, near_bits, n_listed, listed, listed_column)
            for p in range(len(row_fold)):
                fold = row_fold[p, r]
                if _passes(listed, listed_column, n_near, col_fold, p, fold, n_neighbors, offset, best_column):
                    winner = vote(best_column, n_neighbors, col_class, votes)
                else:
                    for j in range(n_columns):
                        masked[j] = near[j] if col_fold[p, j] != fold else np.float32(np.inf)
                    winner, reach = decide(
                        masked,
                        bits,
                        own,
                        class_start,
                        col_class,
                        n_neighbors,
                        SLOPE,
                        offset,
                        best,
                        best_column,
                        votes,
                    )
                    if reach >= 0.0:
                        n_found = nearest_by_definition(
                            rows,
                            None,
                            columns[c],
                            i,
                            col_sample,
                            class_start,
                            col_rank,
                            slots[c],
                            signed,
                            manhattan,
                            row,
                            row_bits,
                            reach,
                            offset,
                            n_neighbors,
                            some,
                            totals,
                            best,
                            best_column,
                        )
                        winner = vote(best_column, n_found, col_class, votes)
                correct[c, first_account[p] + fold] += points(winner, own, votes, gains)


@inner
def _passes(
    listed: Values,
    listed_column: Counts,
    n_near: int,
    col_fold: Counts,
    p: int,
    fold: int,
    n_neighbors: int,
    offset: float,
    best_column: Counts,
) -> bool:
    """Take the nearest columns of other folds from the list; return whether they are proved to be the nearest."""
    n_found = integer(0)
    low = 0.0
    for k in range(n_near):
        if col_fold[p, listed_column[k]] == fold:
            continue
        if n_found == n_neighbors:
            high = float(listed[k])
            return high - low > SLOPE * (high + low) + 2.0 * offset
        best_column[n_found] = listed_column[k]
        low = float(listed[k])
        n_found += 1
    return False

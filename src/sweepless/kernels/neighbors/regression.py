"""k-NN regression: the mean of the k nearest targets, from neighbors that are proved or found by the definition.

The prediction depends only on the set of neighbors: targets are added in the order of the columns, so that the mean is
the same however the neighbors were found. Neighbors may weigh as much as their distance is short; distances are then
those of the definition, and samples at no distance leave the others no weight. There may be several targets.

`limit` is -1 if all neighbors weigh the same. Otherwise a row has no prediction where the squares of two samples sum
to more than `limit` times their squared distance, since an estimator that expands the latter loses its digits.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, maker
from sweepless.kernels.neighbors.by_definition import ABREAST, WORD, nearest_by_definition
from sweepless.kernels.neighbors.decision import nearest
from sweepless.kernels.neighbors.definition import (
    OFFSET,
    SLOPE,
    Frame,
    add_terms,
    insert,
    rooted,
    summed,
    term,
)


@maker
def predict_neighbors(
    frame: Frame,
    some_rows: Features,
    distances: AnyArray,
    is_open: Mask,
    rows: Values,
    slots: Counts,
    columns: Values,
    centered: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    limit: float,
    targets: Values,
    predicted: Values,
) -> None:
    """Fill in the predictions per candidate and target of some rows, where they are open, as in `count_correct`."""
    n_columns = frame.col_sample.shape[1]
    row = np.empty((1, (n_columns // WORD + 1) * WORD), dtype=np.float32)
    row_bits, scratch, near = row.view(np.int32), row[0, : n_columns + 1], row[0, :n_columns]
    bits = row_bits[0, : n_columns + 1]
    there = np.empty(n_columns, dtype=np.float32)
    signed = np.float32(sign)
    some, totals = np.empty(ABREAST, dtype=np.int64), np.empty(ABREAST)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    weights = np.ones(n_neighbors)
    for place in range(len(some_rows)):
        r = some_rows[place]
        base = distances[place]
        group = frame.row_group[r]
        for c in range(len(columns)):
            if not is_open[r, c]:
                continue
            for j in range(index(n_columns)):
                there[j] = centered[c, frame.col_sample[group, j]]
                near[j] = base[j]
            add_terms(near, centered[c, frame.row_sample[r]], there, signed, manhattan)
            offset = OFFSET * spans[c] + drift
            n_found = nearest(scratch, bits, n_neighbors + 1, best, best_column)
            low = best[n_neighbors - 1] if n_found > n_neighbors else np.inf
            high = best[n_neighbors] if n_found > n_neighbors else np.inf
            if not (low < np.inf and high - low > SLOPE * (high + low) + 2.0 * offset):
                reach = max(low, 0.0) * (1.0 + SLOPE) + offset
                n_found = nearest_by_definition(
                    rows,
                    None,
                    columns[c],
                    frame.row_sample[r],
                    frame.col_sample[group],
                    frame.class_start[group],
                    frame.col_rank[group],
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
            else:
                n_found = n_neighbors
            _sort(best_column, n_found, frame.col_sample[group])
            if limit >= 0.0:
                here = frame.row_sample[r]
                weigh(here, best_column, n_found, rows, columns[c], slots[c], sign, manhattan, limit, weights)
            average(best_column, n_found, weights, targets, r, predicted[c])


@maker
def predict_by_definition(
    frame: Frame, columns: Values, n_neighbors: int, manhattan: bool, limit: float, targets: Values, predicted: Values
) -> None:
    """Fill in the predictions per target and row for the subset whose columns, ascending, are given."""
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    weights = np.ones(n_neighbors)
    rows = np.ascontiguousarray(columns.T)
    for r in range(len(frame.row_sample)):
        group = frame.row_group[r]
        n_found = integer(0)
        for j in frame.col_order[group]:
            fold = frame.col_fold[group, j]
            if fold < 0 or fold == frame.row_fold[r]:
                continue
            total = summed(columns, frame.row_sample[r], frame.col_sample[group, j], manhattan)
            n_found = insert(best, best_column, n_found, n_neighbors, rooted(total, manhattan), j)
        _sort(best_column, n_found, frame.col_sample[group])
        if limit >= 0.0:
            here = frame.row_sample[r]
            weigh(here, best_column, n_found, rows, columns[0], -1, 1, manhattan, limit, weights)
        average(best_column, n_found, weights, targets, r, predicted)


@inner
def weigh(
    i: int,
    samples: Counts,
    n_found: int,
    rows: Values,
    column: Values,
    slot: int,
    sign: int,
    manhattan: bool,
    limit: float,
    weights: Values,
) -> None:
    """Weigh neighbors of a sample by the inverse of their distance, with the candidate at its slot or without it."""
    has_same = False
    for n in range(n_found):
        j = samples[n]
        total, squares = 0.0, 0.0
        for k in range(rows.shape[1] + 1):
            if k == slot and sign > 0:
                total += term(column[i] - column[j], manhattan)
                squares += column[i] * column[i] + column[j] * column[j]
            if k < rows.shape[1] and (k != slot or sign > 0):
                total += term(rows[i, k] - rows[j, k], manhattan)
                squares += rows[i, k] * rows[i, k] + rows[j, k] * rows[j, k]
        weights[n] = 1.0 / rooted(total, manhattan) if total > 0.0 else np.inf
        has_same |= weights[n] == np.inf
        if limit < np.inf and not squares <= limit * total:
            weights[n] = np.nan
    if has_same:
        for n in range(n_found):
            if not np.isnan(weights[n]):
                weights[n] = 1.0 if weights[n] == np.inf else 0.0


@inner
def average(samples: Counts, n_found: int, weights: Values, targets: Values, r: int, predicted: Values) -> None:
    """Fill in the mean of the neighbors' targets, added in their order."""
    whole = 0.0
    for n in range(n_found):
        whole += weights[n]
    for t in range(len(targets)):
        total = 0.0
        for n in range(n_found):
            total += weights[n] * targets[t, samples[n]]
        predicted[t, r] = total / whole


@inner
def _sort(best_column: Counts, n_found: int, col_sample: Counts) -> None:
    """Put the samples of some columns in the place of these, in the order of the columns."""
    for k in range(1, n_found):
        column = best_column[k]
        place = k
        while place > 0 and best_column[place - 1] > column:
            best_column[place] = best_column[place - 1]
            place -= 1
        best_column[place] = column
    for k in range(n_found):
        best_column[k] = col_sample[best_column[k]]

"""k-NN regression: the mean of the k nearest targets, from neighbours that are proved or found by the definition.

The prediction depends only on the set of neighbours: targets are added in the order of the columns, so that the mean is
the same however the neighbours were found.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.decision import nearest
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, Frame, add_terms, fill_row, insert, rooted, summed
from sweepless.kernels.neighbors.filter import ABREAST, nearest_by_definition


@kernel
def predict_neighbors(
    frame: Frame,
    filtered: AnyArray,
    rows: Values,
    slots: Counts,
    columns: Values,
    centered: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    targets: Values,
    predicted: Values,
) -> None:
    """Fill in the predictions per candidate and row; arguments as in `count_correct`."""
    n_columns = frame.col_sample.shape[1]
    scratch = np.empty(n_columns + 1, dtype=np.float32)
    near = scratch[:n_columns]
    there = np.empty(n_columns, dtype=np.float32)
    computed = np.empty(n_columns, dtype=np.float32)
    signed = np.float32(sign)
    some = np.empty(ABREAST, dtype=np.int64)
    totals = np.empty(ABREAST)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    for r in range(len(frame.row_sample)):
        base = computed
        if len(filtered):
            base = filtered[r]
        else:
            fill_row(frame, rows, r, manhattan, computed, None)
        group = frame.row_group[r]
        for c in range(len(columns)):
            for j in range(index(n_columns)):
                there[j] = centered[c, frame.col_sample[group, j]]
                near[j] = base[j]
            add_terms(near, centered[c, frame.row_sample[r]], there, signed, manhattan)
            offset = OFFSET * spans[c] + drift
            n_found = nearest(scratch, n_neighbors + 1, best, best_column)
            low = best[n_neighbors - 1] if n_found > n_neighbors else np.inf
            high = best[n_neighbors] if n_found > n_neighbors else np.inf
            if not (low < np.inf and high - low > SLOPE * (high + low) + 2.0 * offset):
                reach = max(low, 0.0) * (1.0 + SLOPE) + offset
                n_found = nearest_by_definition(
                    rows,
                    columns[c],
                    frame.row_sample[r],
                    frame.col_sample[group],
                    frame.col_order[group],
                    slots[c],
                    signed,
                    manhattan,
                    near,
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
            predicted[c, r] = _mean_target(frame, r, best_column, n_found, targets)


@kernel
def predict_by_definition(
    frame: Frame, columns: Values, n_neighbors: int, manhattan: bool, targets: Values, predicted: Values
) -> None:
    """Fill in the predictions for the subset whose columns, ascending, are given."""
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    for r in range(len(frame.row_sample)):
        group = frame.row_group[r]
        n_found = integer(0)
        for j in frame.col_order[group]:
            fold = frame.col_fold[group, j]
            if fold < 0 or fold == frame.row_fold[r]:
                continue
            total = summed(columns, frame.row_sample[r], frame.col_sample[group, j], manhattan)
            n_found = insert(best, best_column, n_found, n_neighbors, rooted(total, manhattan), j)
        predicted[r] = _mean_target(frame, r, best_column, n_found, targets)


@inner
def _mean_target(frame: Frame, r: int, best_column: Counts, n_found: int, targets: Values) -> float:
    """Return the mean of the neighbours' targets, added in the order of the columns."""
    for k in range(1, n_found):
        column = best_column[k]
        place = k
        while place > 0 and best_column[place - 1] > column:
            best_column[place] = best_column[place - 1]
            place -= 1
        best_column[place] = column
    total = 0.0
    for k in range(n_found):
        total += targets[frame.col_sample[frame.row_group[r], best_column[k]]]
    return total / n_found

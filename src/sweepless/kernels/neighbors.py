"""Cross-validated k-NN next door to a subset: a float32 filter decides what it can prove, the definition the rest.

The layout: every row is a sample to classify; the columns of its group are the samples it may be
classified by, sorted by class, so that a class is a range of columns. `base` holds the squared
distances of the working subset, infinite where a column is not for that row.

The definition (METHOD 6, 7.1): squared differences summed in double over ascending features, the
square root, smallest root first, equal roots by `rank`; the k nearest vote, ties to the lowest class.

The filter computes base ± (x_i - x_j)² in float32 from centred columns. With u = 2**-24, R the range of the
candidate feature and v the true value, its error is at most E(v) = 4u v + 16u R² + drift: twice what
the roundings of the cast, the difference, the square and the sum add up to, plus what incremental
doubles may have lost (`drift`, given).
"""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, kernel

_INF32 = np.int32(0x7F800000)
SLOPE = 4.0 * 2.0**-24
OFFSET = 16.0 * 2.0**-24
_BLOCK = 48  # candidates whose columns share the second-level cache with a row


@kernel
def shift_base(
    base: Values,
    filtered: AnyArray,
    column: Values,
    row_sample: Counts,
    row_group: Counts,
    col_sample: Counts,
    sign: float,
) -> None:
    """Add (sign 1) or subtract (-1) one feature's squared differences everywhere."""
    gathered = column[col_sample.ravel()].reshape(col_sample.shape)
    for r in range(base.shape[0]):
        here = column[row_sample[r]]
        there = gathered[row_group[r]]
        for j in range(index(base.shape[1])):
            difference = here - there[j]
            base[r, j] += sign * (difference * difference)
            filtered[r, j] = base[r, j]


@kernel
def count_correct(
    correct: Counts,
    is_open: AnyArray,
    filtered: AnyArray,
    sign: int,
    slots: Counts,
    columns: Values,
    centred: AnyArray,
    ranges: Values,
    drift: float,
    rows: Values,
    row_sample: Counts,
    row_class: Counts,
    row_fold: Counts,
    row_group: Counts,
    col_sample: Counts,
    col_rank: Counts,
    class_start: Counts,
    n_neighbors: int,
) -> None:
    """Count the correctly classified rows among the open ones, per candidate and fold.

    `columns` and `centred` hold one candidate per row, as doubles and as centred float32; `rows` the
    working subset's values per sample in ascending feature order; `slots` where the candidate stands,
    or would stand, in that order.
    """
    n_candidates = len(columns)
    n_columns = filtered.shape[1]
    n_classes = class_start.shape[1] - 1
    gathered = np.empty((_BLOCK, col_sample.shape[0], n_columns), dtype=np.float32)
    scratch = np.empty(n_columns + 1, dtype=np.float32)
    bits = scratch.view(np.int32)
    near = scratch[:n_columns]
    signed = np.float32(sign)
    votes = np.zeros(n_classes, dtype=np.int64)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    row_is_open = np.empty(filtered.shape[0], dtype=np.bool_)
    for first in range(0, n_candidates, _BLOCK):
        last = min(first + _BLOCK, n_candidates)
        row_is_open[:] = False
        for c in range(first, last):
            row_is_open |= is_open[c]
        if not row_is_open.any():
            continue
        for c in range(first, last):
            for g in range(col_sample.shape[0]):
                for j in range(index(n_columns)):
                    gathered[c - first, g, j] = centred[c, col_sample[g, j]]
        for r in range(filtered.shape[0]):
            if not row_is_open[r]:
                continue
            base = filtered[r]
            group = row_group[r]
            own = row_class[r]
            own_start = class_start[group, own]
            own_stop = class_start[group, own + 1]
            for c in range(first, last):
                if not is_open[c, r]:
                    continue
                here = centred[c, row_sample[r]]
                there = gathered[c - first, group]
                for j in range(index(n_columns)):
                    difference = here - there[j]
                    near[j] = base[j] + signed * (difference * difference)
                offset = OFFSET * ranges[c] * ranges[c] + drift
                if n_neighbors == 1:
                    same = least(scratch, bits, own_start, own_stop)
                    other = min(least(scratch, bits, 0, own_start), least(scratch, bits, own_stop, n_columns))
                    low = min(same, other)
                    high = max(same, other)
                    if low < np.inf and (high == np.inf or high - low > SLOPE * (high + low) + 2.0 * offset):
                        correct[c, row_fold[r]] += same < other
                        continue
                else:
                    n_found = _nearest(near, n_neighbors + 1, best, best_column)
                    if n_found <= n_neighbors:
                        low = np.inf
                    else:
                        low = best[n_neighbors - 1]
                        high = best[n_neighbors]
                    if low < np.inf and high - low > SLOPE * (high + low) + 2.0 * offset:
                        winner = _vote(best_column, n_neighbors, class_start[group], votes)
                        correct[c, row_fold[r]] += winner == own
                        continue
                # Not proved: settle by the definition whatever may be among the nearest.
                reach = low + SLOPE * low + offset
                n_found = 0
                for j in range(n_columns):
                    value = float(near[j])
                    if value < np.inf and value - SLOPE * value - offset <= reach:
                        root = _root(rows, columns[c], row_sample[r], col_sample[group, j], slots[c], sign)
                        n_found = _insert(best, best_column, n_found, n_neighbors, root, j, col_rank[group])
                winner = _vote(best_column, n_found, class_start[group], votes)
                correct[c, row_fold[r]] += winner == own


@kernel
def count_correct_by_definition(
    columns: Values,
    row_sample: Counts,
    row_class: Counts,
    row_fold: Counts,
    row_group: Counts,
    allowed: AnyArray,
    col_sample: Counts,
    col_rank: Counts,
    class_start: Counts,
    n_neighbors: int,
    n_folds: int,
) -> Counts:
    """Count the correctly classified rows per fold for the subset whose columns, ascending, are given."""
    n_columns = col_sample.shape[1]
    correct = np.zeros(n_folds, dtype=np.int64)
    squared = np.empty(n_columns)
    votes = np.zeros(class_start.shape[1] - 1, dtype=np.int64)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    gathered = np.empty((col_sample.shape[0], len(columns), n_columns))
    for g in range(col_sample.shape[0]):
        for k in range(len(columns)):
            for j in range(index(n_columns)):
                gathered[g, k, j] = columns[k, col_sample[g, j]]
    for r in range(len(row_sample)):
        group = row_group[r]
        squared[:] = 0.0
        for k in range(len(columns)):
            here = columns[k, row_sample[r]]
            there = gathered[group, k]
            for j in range(index(n_columns)):
                difference = here - there[j]
                squared[j] += difference * difference
        n_found = 0
        for j in range(n_columns):
            # A root can only be among the nearest if its square is not beyond the worst of them.
            if allowed[r, j] and (n_found < n_neighbors or squared[j] <= best[n_neighbors]):
                root = math.sqrt(squared[j])
                n_found = _insert(best, best_column, n_found, n_neighbors, root, j, col_rank[group])
                if n_found == n_neighbors:
                    worst = best[n_neighbors - 1]
                    best[n_neighbors] = worst * worst * (1.0 + 1e-14) + 1e-300
        winner = _vote(best_column, n_found, class_start[group], votes)
        correct[row_fold[r]] += winner == row_class[r]
    return correct


@kernel
def least(scratch: AnyArray, bits: AnyArray, start: int, stop: int) -> float:
    """Return the least of scratch[start:stop], read as integers because only those reduce vectorised.

    The order agrees for non-negative floats. Among negative ones, which only rounding produces, the
    one nearest zero is found: any of them tells that the range reaches zero, and none is trusted further.
    """
    lowest = _INF32
    where = bits[start:stop]
    for j in range(index(len(where))):
        lowest = min(lowest, where[j])
    bits[-1] = lowest
    return float(scratch[-1])


@kernel
def _nearest(near: AnyArray, count: int, best: Values, best_column: Counts) -> int:
    """Collect the `count` least values with their columns; return how many finite ones there are."""
    n_found = 0
    for j in range(len(near)):
        value = float(near[j])
        if value < np.inf and (n_found < count or value < best[count - 1]):
            place = min(n_found, count - 1)
            while place > 0 and best[place - 1] > value:
                best[place] = best[place - 1]
                best_column[place] = best_column[place - 1]
                place -= 1
            best[place] = value
            best_column[place] = j
            n_found = min(n_found + 1, count)
    return n_found


@kernel
def _insert(best: Values, best_column: Counts, n_found: int, limit: int, root: float, column: int, rank: Counts) -> int:
    """Insert into the `limit` nearest, ordered by (root, rank); return how many there are now."""
    if n_found == limit:
        worst = best_column[limit - 1]
        if root > best[limit - 1] or (root == best[limit - 1] and rank[column] > rank[worst]):
            return n_found
        place = limit - 1
    else:
        place = n_found
        n_found += 1
    while place > 0 and (
        best[place - 1] > root or (best[place - 1] == root and rank[best_column[place - 1]] > rank[column])
    ):
        best[place] = best[place - 1]
        best_column[place] = best_column[place - 1]
        place -= 1
    best[place] = root
    best_column[place] = column
    return n_found


@kernel
def _vote(best_column: Counts, n_found: int, class_start: Counts, votes: Counts) -> int:
    """Return the most frequent class among the found columns, ties to the lowest; -1 if none was found."""
    if n_found == 0:
        return -1
    if n_found == 1:
        only: int = np.searchsorted(class_start, best_column[0], side="right") - 1
        return only
    votes[:] = 0
    for k in range(n_found):
        votes[np.searchsorted(class_start, best_column[k], side="right") - 1] += 1
    winner: int = np.argmax(votes)  # type: ignore[assignment]
    return winner


@kernel
def _root(rows: Values, column: Values, i: int, j: int, slot: int, sign: int) -> float:
    """Return the distance by the definition, with the candidate at its place in ascending order, or without."""
    total = 0.0
    for k in range(slot):
        difference = rows[i, k] - rows[j, k]
        total += difference * difference
    if sign > 0:
        difference = column[i] - column[j]
        total += difference * difference
    for k in range(slot + (sign < 0), rows.shape[1]):
        difference = rows[i, k] - rows[j, k]
        total += difference * difference
    return math.sqrt(total)

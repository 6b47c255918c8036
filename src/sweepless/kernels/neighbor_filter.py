"""k-NN next door to a subset: a float32 filter decides what it can prove, the definition the rest.

The filter computes base ± term in float32 from centred columns; see `neighbors` for its error, to which comes what
incremental doubles may have lost (`drift`). Where two classes are nearer to each other than the errors allow
to tell apart, whatever may be among the nearest is computed by the definition.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors import (
    INF32,
    OFFSET,
    SLOPE,
    Frame,
    add_terms,
    fill_row,
    insert,
    rooted,
    term,
    vote,
)

_BLOCK = 48  # candidates whose columns share the second-level cache with a row
_ABREAST = 8  # sums by the definition that go side by side


@kernel
def count_correct(
    frame: Frame,
    filtered: AnyArray,
    rows: Values,
    slots: Counts,
    columns: Values,
    centred: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count the correctly classified rows among the open ones, per candidate and account.

    `columns` and `centred` hold one candidate per row, as doubles and as centred float32; `rows` the working
    subset's values per sample in ascending feature order; `slots` where the candidate stands, or would
    stand, in that order. An empty `filtered` means that rows of distances are computed when they are needed.
    """
    n_rows = len(frame.row_sample)
    n_groups, n_columns = frame.col_sample.shape
    gathered = np.empty((_BLOCK, n_groups, n_columns), dtype=np.float32)
    scratch = np.empty(n_columns + 1, dtype=np.float32)
    computed = np.empty(n_columns, dtype=np.float32)
    unused = np.empty(n_columns, dtype=np.float32)
    bits = scratch.view(np.int32)
    near = scratch[:n_columns]
    signed = np.float32(sign)
    votes = np.zeros(frame.class_start.shape[1] - 1, dtype=np.int64)
    best = np.empty(n_neighbors + 1)
    best_column = np.empty(n_neighbors + 1, dtype=np.int64)
    row_is_open = np.empty(n_rows, dtype=np.bool_)
    for first in range(0, len(columns), _BLOCK):
        last = min(first + _BLOCK, len(columns))
        n_open = 0
        for r in range(n_rows):
            row_is_open[r] = False
        for c in range(first, last):
            for r in range(index(n_rows)):
                row_is_open[r] |= is_open[c, r]
                n_open += is_open[c, r]
        if n_open == 0:
            continue
        for c in range(first, last):
            for g in range(n_groups):
                for j in range(index(n_columns)):
                    gathered[c - first, g, j] = centred[c, frame.col_sample[g, j]]
        for r in range(n_rows):
            if not row_is_open[r]:
                continue
            base = computed
            if len(filtered):
                base = filtered[r]
            else:
                fill_row(frame, rows, r, manhattan, computed, unused)
            group = frame.row_group[r]
            account = frame.row_account[r]
            for c in range(first, last):
                if not is_open[c, r]:
                    continue
                here = centred[c, frame.row_sample[r]]
                there = gathered[c - first, group]
                offset = OFFSET * spans[c] + drift
                for j in range(index(n_columns)):
                    near[j] = base[j]
                add_terms(near, here, there, signed, manhattan)
                winner, reach = decide(
                    scratch,
                    bits,
                    frame.row_class[r],
                    frame.class_start[group],
                    n_neighbors,
                    SLOPE,
                    offset,
                    best,
                    best_column,
                    votes,
                )
                if reach >= 0.0:
                    n_found = nearest_by_definition(
                        frame,
                        rows,
                        columns[c],
                        r,
                        slots[c],
                        sign,
                        manhattan,
                        near,
                        reach,
                        offset,
                        n_neighbors,
                        best,
                        best_column,
                    )
                    winner = vote(best_column, n_found, frame.class_start[group], votes)
                correct[c, account] += winner == frame.row_class[r]


@inner
def decide(
    near: AnyArray,
    bits: AnyArray,
    own: int,
    class_start: Counts,
    n_neighbors: int,
    slope: float,
    offset: float,
    best: Values,
    best_column: Counts,
    votes: Counts,
) -> tuple[int, float]:
    """Return the winning class of a row and -1, or, where that is not proved, how far the nearest may reach.

    For one neighbour "the own class or another" is all there is to prove; another one is told as -1.
    `bits` are the bits of `near`, which both have one cell more than there are columns.
    """
    n_columns = len(near) - 1
    if n_neighbors == 1:
        # A label that no column has, as a test sample's may be, has an empty range.
        start = class_start[own] if own >= 0 else 0
        stop = class_start[own + 1] if own >= 0 else 0
        same = least(near, bits, start, stop)
        other = min(least(near, bits, integer(0), start), least(near, bits, stop, n_columns))
        if is_apart(same, other, slope, offset):
            return (own if same < other else -1), -1.0
        return -1, max(min(same, other), 0.0) * (1.0 + slope) + offset
    n_found = nearest(near, n_neighbors + 1, best, best_column)
    if n_found <= n_neighbors:
        return -1, np.inf
    low = best[n_neighbors - 1]
    high = best[n_neighbors]
    if high - low > slope * (high + low) + 2.0 * offset:
        return vote(best_column, n_neighbors, class_start, votes), -1.0
    return -1, max(low, 0.0) * (1.0 + slope) + offset


@inner
def is_apart(same: float, other: float, slope: float, offset: float) -> bool:
    """Tell whether two least distances differ by more than their errors."""
    low = min(same, other)
    high = max(same, other)
    return low < np.inf and (high == np.inf or high - low > slope * (high + low) + 2.0 * offset)


@inner
def least(near: AnyArray, bits: AnyArray, start: int, stop: int) -> float:
    """Return the least of near[start:stop], read as integers because only those reduce vectorised.

    The order agrees for non-negative floats. Among negative ones, which only rounding produces, the
    one nearest zero is found: any of them tells that the range reaches zero, and none is trusted further.
    """
    lowest = INF32
    where = bits[start:stop]
    for j in range(index(len(where))):
        lowest = min(lowest, where[j])
    bits[-1] = lowest
    return float(near[-1])


@inner
def nearest(near: AnyArray, count: int, best: Values, best_column: Counts) -> int:
    """Collect the `count` least values with their columns; return how many finite ones there are."""
    n_found = 0
    for j in range(len(near) - 1):
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


@inner
def nearest_by_definition(
    frame: Frame,
    rows: Values,
    column: Values,
    r: int,
    slot: int,
    sign: int,
    manhattan: bool,
    near: AnyArray,
    reach: float,
    offset: float,
    n_neighbors: int,
    best: Values,
    best_column: Counts,
) -> int:
    """Collect the nearest columns of a row by the definition among those that may reach; return how many there are."""
    group = frame.row_group[r]
    some = np.empty(_ABREAST, dtype=np.int64)
    totals = np.empty(_ABREAST)
    n_some = integer(0)
    n_found: int = integer(0)
    for place in range(len(near)):
        j = frame.col_order[group, place]
        value = float(near[j])
        if value < np.inf and value - SLOPE * value - offset <= reach:
            some[n_some] = j
            n_some += 1
        if n_some == _ABREAST or place == len(near) - 1:
            samples = frame.col_sample[group]
            _sum_terms(rows, column, frame.row_sample[r], samples, some[:n_some], slot, sign, manhattan, totals)
            for p in range(n_some):
                distance = rooted(totals[p], manhattan)
                n_found = insert(best, best_column, n_found, n_neighbors, distance, some[p], frame.col_rank[group])
            n_some = integer(0)
            if n_found == n_neighbors and best[n_found - 1] == 0.0:
                break  # nothing is nearer, and nothing that follows wins a tie
    return n_found


@inner
def _sum_terms(
    rows: Values,
    column: Values,
    i: int,
    samples: Counts,
    some: Counts,
    slot: int,
    sign: int,
    manhattan: bool,
    totals: Values,
) -> None:
    """Add up the terms between sample i and some columns in ascending feature order, with or without the candidate.

    The sums go side by side, as every one of them has to wait for its own last addition.
    """
    for p in range(len(some)):
        totals[p] = 0.0
    for k in range(slot):
        for p in range(len(some)):
            totals[p] += term(rows[i, k] - rows[samples[some[p]], k], manhattan)
    if sign > 0:
        for p in range(len(some)):
            totals[p] += term(column[i] - column[samples[some[p]]], manhattan)
    for k in range(slot + (sign < 0), rows.shape[1]):
        for p in range(len(some)):
            totals[p] += term(rows[i, k] - rows[samples[some[p]], k], manhattan)

"""k-NN next door to a subset: a float32 filter decides what it can prove, the definition the rest.

The filter computes base ± term in float32 from centred columns; see `neighbors` for its error, to which comes what
incremental doubles may have lost (`drift`). Where two classes are nearer to each other than the errors allow
to tell apart, whatever may be among the nearest is computed by the definition.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
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
ABREAST = 8  # sums by the definition that go side by side


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
    some = np.flatnonzero(is_open.any(axis=1))
    if len(some) == 0:
        return
    n_groups, n_columns = frame.col_sample.shape
    n_classes = frame.class_start.shape[1] - 1
    scratch = np.empty(n_columns + 1, dtype=np.float32)
    _count_correct(
        frame,
        filtered,
        rows,
        slots,
        columns,
        centred,
        OFFSET * spans + drift,
        np.float32(sign),
        n_neighbors,
        manhattan,
        some,
        is_open,
        np.empty((min(_BLOCK, len(columns)), n_groups, n_columns), dtype=np.float32),
        scratch,
        scratch.view(np.int32),
        None if len(filtered) else np.empty((2, n_columns), dtype=np.float32),
        np.empty(ABREAST, dtype=np.int64),
        np.empty(ABREAST),
        np.empty(n_neighbors + 1),
        np.empty(n_neighbors + 1, dtype=np.int64),
        None if n_neighbors == 1 else np.zeros(n_classes, dtype=np.int64),
        correct,
    )


@kernel
def _count_correct(
    frame: Frame,
    filtered: AnyArray,
    rows: Values,
    slots: Counts,
    columns: Values,
    centred: AnyArray,
    offsets: Values,
    signed: np.float32,
    n_neighbors: int,
    manhattan: bool,
    some: Features,
    is_open: Mask,
    gathered: AnyArray,
    near: AnyArray,
    bits: AnyArray,
    computed: AnyArray | None,
    listed: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
    correct: Counts,
) -> None:
    """Count in `some` rows; from `gathered` to `votes` these are note pads.

    One neighbour needs no votes, and where distances are kept none are computed: what is None is not compiled.
    """
    n_columns = index(frame.col_sample.shape[1])
    for first in range(0, len(columns), _BLOCK):
        last = first + _BLOCK if first + _BLOCK < len(columns) else len(columns)
        for c in range(first, last):
            for g in range(len(frame.col_sample)):
                for j in range(n_columns):
                    gathered[c - first, g, j] = centred[c, frame.col_sample[g, j]]
        for r in some:
            if computed is None:
                base = filtered[r]
            else:
                base = computed[0]
                fill_row(frame, rows, r, manhattan, base, computed[1])
            group = frame.row_group[r]
            own = frame.row_class[r]
            for c in range(first, last):
                if not is_open[r, c]:
                    continue
                for j in range(n_columns):
                    near[j] = base[j]
                add_terms(near, centred[c, frame.row_sample[r]], gathered[c - first, group], signed, manhattan)
                class_start = frame.class_start[group]
                winner, reach = decide(
                    near, bits, own, class_start, n_neighbors, SLOPE, offsets[c], best, best_column, votes
                )
                if reach >= 0.0:
                    n_found = nearest_by_definition(
                        rows,
                        columns[c],
                        frame.row_sample[r],
                        frame.col_sample[group],
                        frame.col_order[group],
                        frame.col_rank[group],
                        slots[c],
                        signed,
                        manhattan,
                        near,
                        reach,
                        offsets[c],
                        n_neighbors,
                        listed,
                        totals,
                        best,
                        best_column,
                    )
                    winner = vote(best_column, n_found, class_start, votes)
                correct[c, frame.row_account[r]] += winner == own


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
    votes: Counts | None,
) -> tuple[int, float]:
    """Return the winning class of a row and -1, or, where that is not proved, how far the nearest may reach.

    For one neighbour "the own class or another" is all there is to prove; another one is told as -1.
    `bits` are the bits of `near`, which both have one cell more than there are columns.
    """
    if votes is None:
        # A label that no column has, as a test sample's may be, has an empty range.
        start = class_start[own] if own >= 0 else 0
        stop = class_start[own + 1] if own >= 0 else 0
        same, other = least(near, bits, start, stop)
        if is_apart(same, other, slope, offset):
            return (own if same < other else -1), -1.0
        low = same if same < other else other
        return -1, (low if low > 0.0 else 0.0) * (1.0 + slope) + offset
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
    low = same if same < other else other
    high = other if same < other else same
    return low < np.inf and (high == np.inf or high - low > slope * (high + low) + 2.0 * offset)


@inner
def least(near: AnyArray, bits: AnyArray, start: int, stop: int) -> tuple[float, float]:
    """Return the least of near[start:stop] and of the rest, read as integers because only those reduce vectorised.

    The order agrees for non-negative floats. Among negative ones, which only rounding produces, the
    one nearest zero is found: any of them tells that the range reaches zero, and none is trusted further.
    """
    n_columns = len(bits) - 1
    same = other = INF32
    begin, end = integer(0), start
    for part in range(3):  # before the range, the range, behind it
        lowest = INF32
        for j in range(index(begin), index(end)):
            lowest = bits[j] if bits[j] < lowest else lowest
        if part == 1:
            same = lowest
        else:
            other = lowest if lowest < other else other
        begin, end = end, (stop if part == 0 else n_columns)
    bits[n_columns] = same
    least_same = float(near[n_columns])
    bits[n_columns] = other
    return least_same, float(near[n_columns])


@inner
def nearest(near: AnyArray, count: int, best: Values, best_column: Counts) -> int:
    """Collect the `count` least values with their columns; return how many finite ones there are."""
    n_found = 0
    for j in range(len(near) - 1):
        value = float(near[j])
        if value < np.inf and (n_found < count or value < best[count - 1]):
            place = n_found if n_found < count else count - 1
            while place > 0 and best[place - 1] > value:
                best[place] = best[place - 1]
                best_column[place] = best_column[place - 1]
                place -= 1
            best[place] = value
            best_column[place] = j
            n_found = n_found + 1 if n_found < count else count
    return n_found


@inner
def nearest_by_definition(
    rows: Values,
    column: Values,
    i: int,
    samples: Counts,
    order: Counts,
    rank: Counts,
    slot: int,
    signed: np.float32,
    manhattan: bool,
    near: AnyArray,
    reach: float,
    offset: float,
    n_neighbors: int,
    some: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
) -> int:
    """Collect the nearest columns of sample i by the definition among those that may reach; return how many there are.

    `some` and `totals` are note pads for the columns whose sums go side by side.
    """
    n_some = integer(0)
    n_found: int = integer(0)
    for place in range(len(order)):
        j = order[place]
        value = float(near[j])
        if value < np.inf and value - SLOPE * value - offset <= reach:
            some[n_some] = j
            n_some += 1
        if n_some == len(some) or place == len(order) - 1:
            _sum_terms(rows, column, i, samples, some, n_some, slot, signed, manhattan, totals)
            for p in range(n_some):
                distance = rooted(totals[p], manhattan)
                n_found = insert(best, best_column, n_found, n_neighbors, distance, some[p], rank)
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
    n_some: int,
    slot: int,
    signed: np.float32,
    manhattan: bool,
    totals: Values,
) -> None:
    """Add up the terms between sample i and some columns in ascending feature order, with or without the candidate.

    The sums go side by side, as every one of them has to wait for its own last addition.
    """
    for p in range(n_some):
        totals[p] = 0.0
    for k in range(rows.shape[1] + 1):
        if k == slot and signed > 0.0:
            for p in range(n_some):
                totals[p] += term(column[i] - column[samples[some[p]]], manhattan)
        if k < rows.shape[1] and (k != slot or signed > 0.0):
            for p in range(n_some):
                totals[p] += term(rows[i, k] - rows[samples[some[p]], k], manhattan)

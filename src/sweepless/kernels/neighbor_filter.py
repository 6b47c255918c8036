"""k-NN next door to a subset: a float32 filter decides what it can prove, the definition the rest.

The filter computes base ± term in float32 from centred columns; see `neighbors` for its error, to which comes what
incremental doubles may have lost (`drift`). Where two classes are nearer to each other than the errors allow
to tell apart, whatever may be among the nearest is computed by the definition.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbor_decision import decide
from sweepless.kernels.neighbors import OFFSET, SLOPE, Frame, add_terms, fill_row, insert, rooted, term, vote

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
    limit = n_neighbors if n_neighbors < len(some) else len(some)  # where samples coincide, the first ones settle it
    for place in range(len(order)):
        j = order[place]
        value = float(near[j])
        if value < np.inf and value - SLOPE * value - offset <= reach:
            some[n_some] = j
            n_some += 1
        if n_some == limit or place == len(order) - 1:
            _sum_terms(rows, column, i, samples, some, n_some, slot, signed, manhattan, totals)
            for p in range(n_some):
                distance = rooted(totals[p], manhattan)
                n_found = insert(best, best_column, n_found, n_neighbors, distance, some[p], rank)
            n_some = integer(0)
            limit = len(some)
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

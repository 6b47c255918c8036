"""k-NN for the neighbours of a subset from all distances of a row: float32 decides what it can prove.

The filter computes distance ± term in float32 from centred columns. Where the distances of two classes differ by less
than its errors, every column that may be among the nearest is computed by the definition.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.decision import decide
from sweepless.kernels.neighbors.definition import (
    ABREAST,
    OFFSET,
    SLOPE,
    Frame,
    add_terms,
    insert,
    points,
    rooted,
    sum_some,
    vote,
)
from sweepless.kernels.neighbors.settle import UNKNOWN

_BLOCK = 48  # candidates whose columns share the second-level cache with a row


def filter_error(slope: float, offset: float, spans: Values) -> tuple[float, Values]:
    """Return slope and offsets of neighbours' distances, given those of the subset's own and the candidates' terms."""
    return slope + SLOPE, offset + (OFFSET + slope) * spans


def count_correct(
    frame: Frame,
    group: int,
    some: Features,
    distances: AnyArray,
    values: Values,
    order: Counts,
    slots: Counts,
    columns: Values,
    centered: AnyArray,
    slope: float,
    offsets: Values,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    is_open: AnyArray,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows among some open ones of a group, or their points, per candidate and account.

    `columns` and `centered` hold one candidate per row, as doubles and as centred float32; `values`, `order` and
    `slots` are as in `sum_some`, `slope` and `offsets` as from `filter_error`.
    """
    scratch = np.empty(frame.col_sample.shape[1] + 1, dtype=np.float32)
    _count_correct(
        some,
        distances,
        is_open,
        frame.row_sample,
        frame.row_class,
        frame.row_account,
        frame.col_sample[group],
        frame.col_class[group],
        frame.col_order[group],
        frame.class_start[group],
        values,
        order,
        slots,
        columns,
        centered,
        slope,
        offsets,
        np.float32(sign),
        n_neighbors,
        manhattan,
        np.empty((_BLOCK, len(scratch) - 1), dtype=np.float32),
        np.empty(_BLOCK, dtype=np.bool_),
        scratch,
        scratch.view(np.int32),
        np.empty((2, ABREAST), dtype=np.int64),
        np.empty(ABREAST),
        np.empty(n_neighbors + 1),
        np.empty(n_neighbors + 1, dtype=np.int64),
        None if n_neighbors == 1 else np.zeros(frame.class_start.shape[1] - 1, dtype=np.int64),
        gains,
        correct,
    )


@kernel
def _count_correct(
    some: Features,
    distances: AnyArray,
    is_open: AnyArray,
    row_sample: Counts,
    row_class: Counts,
    row_account: Counts,
    col_sample: Counts,
    col_class: Counts,
    col_order: Counts,
    class_start: Counts,
    values: Values,
    order: Counts,
    slots: Counts,
    columns: Values,
    centered: AnyArray,
    slope: float,
    offsets: Values,
    signed: np.float32,
    n_neighbors: int,
    manhattan: bool,
    gathered: AnyArray,
    is_gathered: AnyArray,
    near: AnyArray,
    bits: AnyArray,
    listed: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count in `some` rows of a group.

    The arguments from `gathered` to `votes` are working space. One neighbour needs no votes; code for an argument
    that is None is not compiled.
    """
    n_columns = index(len(col_sample))
    for first in range(0, len(columns), _BLOCK):
        last = first + _BLOCK if first + _BLOCK < len(columns) else len(columns)
        for c in range(last - first):
            is_gathered[c] = False
        for k in range(len(some)):
            r = some[k]
            own = row_class[r]
            for c in range(first, last):
                if is_open[c, r] != UNKNOWN:
                    continue
                there = gathered[c - first]
                if not is_gathered[c - first]:
                    is_gathered[c - first] = True
                    for j in range(n_columns):
                        there[j] = centered[c, col_sample[j]]
                for j in range(n_columns):
                    near[j] = distances[k, j]
                add_terms(near, centered[c, row_sample[r]], there, signed, manhattan)
                winner, reach = decide(
                    near, bits, own, class_start, col_class, n_neighbors, slope, offsets[c], best, best_column, votes
                )
                if reach >= 0.0:
                    n_found = nearest_by_definition(
                        values,
                        order,
                        columns[c],
                        slots[c],
                        signed,
                        manhattan,
                        row_sample[r],
                        col_sample,
                        col_order,
                        near,
                        slope,
                        offsets[c],
                        reach,
                        n_neighbors,
                        listed,
                        totals,
                        best,
                        best_column,
                    )
                    winner = vote(best_column, n_found, col_class, votes)
                correct[c, row_account[r]] += points(winner, own, votes, gains)


@inner
def nearest_by_definition(
    values: Values,
    order: Counts,
    column: Values,
    slot: int,
    signed: np.float32,
    manhattan: bool,
    i: int,
    col_sample: Counts,
    col_order: Counts,
    near: AnyArray,
    slope: float,
    offset: float,
    reach: float,
    n_neighbors: int,
    some: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
) -> int:
    """Collect the nearest columns of sample i by the definition among those within reach; return how many there are.

    `some` and `totals` are working space.
    """
    n_some = integer(0)
    n_found: int = integer(0)
    most = some.shape[1]
    limit = n_neighbors if n_neighbors < most else most  # the first ones are enough if samples coincide
    for place in range(len(col_order)):
        j = col_order[place]
        value = float(near[j])
        if value < np.inf and value - slope * value - offset <= reach:
            some[0, n_some] = j
            some[1, n_some] = col_sample[j]
            n_some += 1
        if n_some < limit and place < len(col_order) - 1:
            continue
        sum_some(values, order, column, slot, signed, manhattan, i, some[1], n_some, totals)
        for p in range(n_some):
            n_found = insert(best, best_column, n_found, n_neighbors, rooted(totals[p], manhattan), some[0, p])
        n_some = integer(0)
        limit = most
        if n_found == n_neighbors and best[n_found - 1] == 0.0:
            break  # no column is nearer, and none that follows wins a tie
    return n_found

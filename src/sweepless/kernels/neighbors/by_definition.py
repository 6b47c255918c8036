"""The nearest by the definition, of the columns that a filter leaves within reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import inner, integer
from sweepless.kernels.neighbors.decision import least
from sweepless.kernels.neighbors.definition import SLOPE, insert, rooted, term

ABREAST = 8  # sums that are computed side by side
FEW = 32  # columns within reach that are sorted by rank; of more, all are passed over by rank


@inner
def _collect(near: AnyArray, bits: AnyArray, within: np.float32, rank: Counts, few: Counts) -> Any:
    """Collect the columns that are within a distance, sorted by rank; return how many there are, -1 if too many."""
    n_columns, n_few = len(rank), integer(0)
    for first in range(0, n_columns, ABREAST * ABREAST):
        stop = min(first + ABREAST * ABREAST, n_columns)
        bits[n_columns] = least(bits, first, stop)
        if near[n_columns] > within:
            continue
        for j in range(first, stop):
            if near[j] > within:
                continue
            if n_few == len(few):
                return integer(-1)
            place = n_few
            while place > 0 and rank[few[place - 1]] > rank[j]:
                few[place] = few[place - 1]
                place -= 1
            few[place] = j
            n_few += 1
    return n_few


@inner
def nearest_by_definition(
    rows: Values,
    spots: Counts | None,
    column: Values,
    i: int,
    samples: Counts,
    order: Counts,
    rank: Counts,
    slot: int,
    signed: np.float32,
    manhattan: bool,
    near: AnyArray,
    bits: AnyArray,
    reach: float,
    offset: float,
    n_neighbors: int,
    few: Counts,
    some: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
) -> int:
    """Collect the nearest columns of sample i by the definition among those within reach; return how many there are.

    Terms are added in ascending feature order, with the candidate at its slot or without it. `bits` are those of
    `near`; both have one cell more than there are columns. `few` is working space, and so are `some` and `totals`, for
    columns whose sums are computed side by side, since every addition waits for the one before.
    """
    n_some = integer(0)
    n_found: int = integer(0)
    # The first ones are enough if samples coincide; where that is known, one needs no sum.
    limit = min(n_neighbors + (spots is not None), len(some))
    # What may be as near as `reach`, with room for the roundings of the bound itself. Most columns are not.
    within = np.float32((reach + offset) / (1.0 - SLOPE) * (1.0 + 2.0**-22))
    # Where samples coincide with the row, the first by rank is enough.
    n_few = _collect(near, bits, within, rank, few) if reach > 2.0 * offset else integer(-1)
    n_places = n_few if n_few >= 0 else len(order)
    for place in range(n_places):
        j = few[place] if n_few >= 0 else order[place]
        if near[j] > within and place < n_places - 1:
            continue
        is_within = bool(near[j] <= within and near[j] < np.inf)
        if spots is not None and is_within:
            there = samples[j]
            if n_found == n_neighbors or (n_neighbors == 1 and n_some > 0):
                # What coincides with the last of the best is as far as it, and behind it by rank.
                last = samples[best_column[n_neighbors - 1] if n_found == n_neighbors else some[0]]
                is_within = bool(spots[there] != spots[last] or (signed > 0.0 and column[there] != column[last]))
            elif n_neighbors == 1 and spots[there] == spots[i] and (signed < 0.0 or column[there] == column[i]):
                best_column[0] = j  # the first by rank that coincides with the row
                return 1
        if is_within:
            some[n_some] = j
            totals[n_some] = 0.0
            n_some += 1
        if n_some < limit and place < n_places - 1:
            continue
        if spots is not None and n_neighbors == 1 and n_found == 0 and n_some == 1:
            best_column[0] = some[0]  # nothing else is within reach but what coincides with it
            return 1
        for k in range(rows.shape[1] + 1):
            if k == slot and signed > 0.0:
                for p in range(n_some):
                    totals[p] += term(column[i] - column[samples[some[p]]], manhattan)
            if k < rows.shape[1] and (k != slot or signed > 0.0):
                for p in range(n_some):
                    totals[p] += term(rows[i, k] - rows[samples[some[p]], k], manhattan)
        for p in range(n_some):
            n_found = insert(best, best_column, n_found, n_neighbors, rooted(totals[p], manhattan), some[p])
        n_some = integer(0)
        limit = len(some)
        if n_found == n_neighbors and best[n_found - 1] == 0.0:
            break  # no column is nearer, and none that follows wins a tie
    return n_found

"""k-NN for the neighbors of a subset: a float32 filter decides what it can prove, the definition decides the rest.

The filter computes base ± term in float32 from centered columns. Its error is the one bounded in
`neighbors.definition` plus `drift`, which the incremental doubles may have lost. Where the distances of two classes
differ by less than the errors, every column that may be among the nearest is computed by the definition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.decision import decide, least
from sweepless.kernels.neighbors.definition import (
    OFFSET,
    SLOPE,
    Frame,
    ballot_for,
    insert,
    points,
    rooted,
    term,
    vote,
)
from sweepless.kernels.neighbors.grid import FAR, Pairs, bring_row
from sweepless.kernels.neighbors.spots import settle_by_spots, share_rows, spots_of

_INF32 = np.float32(np.inf)
_SHARE = 8  # if less than one in so many rows is open, it does not pay to look for samples that coincide
_CROWD = 16  # as many columns as a list holds: it can prove something unless more samples coincide
_MOST_CELLS = 1 << 24  # distances held at once to look for ties: 64 megabytes
ABREAST = 8  # sums by the definition that are computed side by side
FEW = 32  # columns within reach that are sorted by rank; of more, all are passed over by rank


def count_correct(
    frame: Frame,
    pairs: Pairs,
    unit: float,
    shown: Callable[[Features], AnyArray],
    rows: Values,
    slots: Counts,
    columns: Values,
    middles: Values,
    spans: Values,
    drift: float,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    some: Features,
    is_open: Mask,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows among the open ones, which are some, or their points.

    `columns` holds one candidate per row, whose values are around `middles`; `rows` holds the working
    subset's values per sample in ascending feature order, and `slots` the places of the candidates in that order.
    `shown` returns the float32 distances of some rows.
    """
    n_columns = frame.col_sample.shape[1]
    spots, shares = np.arange(len(rows)), np.ones(len(is_open), dtype=np.int64)
    if _SHARE * np.count_nonzero(is_open) > is_open.size:
        spots = spots_of(rows)
        if np.bincount(spots).max() > _CROWD:
            if sign < 0:
                shares = share_rows(frame, spots, is_open)
            elif len(is_open) * n_columns <= _MOST_CELLS:
                filtered = np.empty((len(is_open), n_columns), dtype=np.float32)
                filtered[some] = shown(some)
                settle_by_spots(frame, filtered, spots, columns, drift, n_neighbors, gains, is_open, correct)
            some = some[is_open[some].any(axis=1)]
    scratch = np.empty(n_columns + 1, dtype=np.float32)
    _count_correct(
        frame,
        pairs,
        unit,
        some[np.argsort(frame.row_group[some], kind="stable")],
        is_open,
        shares,
        rows,
        spots,
        slots,
        columns,
        middles,
        OFFSET * spans + drift,
        sign,
        n_neighbors,
        manhattan,
        np.empty((len(columns), n_columns), dtype=np.float32),
        np.full(len(columns), -1),
        scratch,
        scratch.view(np.int32),
        np.empty(FEW, dtype=np.int64),
        np.empty(ABREAST, dtype=np.int64),
        np.empty(ABREAST),
        np.empty(n_neighbors + 1),
        np.empty(n_neighbors + 1, dtype=np.int64),
        ballot_for(frame, n_neighbors, gains),
        gains,
        correct,
    )


@kernel
def _count_correct(
    frame: Frame,
    pairs: Pairs,
    unit: float,
    some: Features,
    is_open: Mask,
    shares: Counts,
    rows: Values,
    spots: Counts,
    slots: Counts,
    columns: Values,
    middles: Values,
    offsets: Values,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    gathered: AnyArray,
    gathered_for: Counts,
    near: AnyArray,
    bits: AnyArray,
    few: Counts,
    listed: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count in `some` rows, which come group by group.

    The arguments from `gathered` to `votes` are working space. Mostly one neighbor needs no votes; code for an argument
    that is None is not compiled.
    """
    n_columns, one, signed = index(len(near) - 1), np.float32(unit), np.float32(sign)
    for p in range(len(some)):
        r = some[p]
        here, group, own = frame.row_sample[r], frame.row_group[r], frame.row_class[r]
        place = bring_row(frame, pairs, r, manhattan)
        col_sample, col_class, col_order = frame.col_sample[group], frame.col_class[group], frame.col_order[group]
        for c in range(len(columns)):
            if not is_open[r, c]:
                continue
            if gathered_for[c] != group:
                gathered_for[c] = group
                for j in range(n_columns):
                    gathered[c, j] = np.float32(columns[c, col_sample[j]] - middles[c])
            value, offset = np.float32(columns[c, here] - middles[c]), offsets[c]
            for j in range(n_columns):
                distance = np.float32(pairs.sums[place, j]) * one + signed * term(value - gathered[c, j], manhattan)
                near[j] = distance if pairs.sums[place, j] < FAR else _INF32
            winner, reach = decide(
                near,
                bits,
                own,
                frame.class_start[group],
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
                    spots,
                    columns[c],
                    here,
                    col_sample,
                    col_order,
                    frame.col_rank[group],
                    slots[c],
                    signed,
                    manhattan,
                    near,
                    bits,
                    reach,
                    offset,
                    n_neighbors,
                    few,
                    listed,
                    totals,
                    best,
                    best_column,
                )
                winner = vote(best_column, n_found, col_class, votes)
            correct[c, frame.row_account[r]] += shares[r] * points(winner, own, votes, gains)


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
    limit = n_neighbors if n_neighbors < len(some) else len(some)  # the first ones are enough if samples coincide
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
        if spots is not None and n_found == n_neighbors:
            # What coincides with the last of the best is as far as it, and behind it by rank.
            last, there = samples[best_column[n_neighbors - 1]], samples[j]
            is_within &= bool(spots[there] != spots[last] or (signed > 0.0 and column[there] != column[last]))
        if is_within:
            some[n_some] = j
            totals[n_some] = 0.0
            n_some += 1
        if n_some < limit and place < n_places - 1:
            continue
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

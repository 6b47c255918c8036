"""The nearest by the definition, of the columns that a filter leaves within reach."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, integer
from sweepless.kernels._lane_choices import bits_within, lowest_bit
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.definition import INF32, SLOPE, rooted, term

ABREAST = 8  # sums that are computed side by side
WORD = 64  # columns of which it is told at once whether they are within reach


def room_for_distances(n_columns: int, n_rows: int = 1) -> AnyArray:
    """Return rows of distances, of whole words, a vector longer than there are columns; all are infinite."""
    room = aligned(n_rows, -(-(n_columns + WIDTH) // WORD) * WORD)
    room.fill(np.inf)
    return room


@inner
def nearest_by_definition(
    rows: Values,
    spots: Counts | None,
    column: Values,
    i: int,
    samples: Counts,
    class_start: Counts,
    rank: Counts,
    slot: int,
    signed: np.float32,
    manhattan: bool,
    near: AnyArray,
    bits: AnyArray,
    reach: float,
    offset: float,
    n_neighbors: int,
    some: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
) -> int:
    """Collect the nearest columns of sample i by the definition among those within reach; return how many there are.

    Terms are added in ascending feature order, with the candidate at its slot or without it. `near` is a single row
    of whole words, longer than there are columns, and `bits` are those of its values. `some` and `totals` are working
    space for columns whose sums are computed side by side, since every addition waits for the one before.
    """
    n_some = integer(0)
    n_found: int = integer(0)
    twin = integer(-1)  # the first by rank that coincides with the row
    adds, is_here = bool(signed > 0.0), bool(spots is not None and n_neighbors == 1 and reach <= 2.0 * offset)
    # What may be as near as `reach`, with room for the roundings of the bound itself; what is infinitely far may not.
    end = index(near.shape[1] - 1)
    near[0, end] = np.float32((reach + offset) / (1.0 - SLOPE) * (1.0 + 2.0**-22))
    within = min(bits[0, end], np.int32(INF32 - 1))
    for label in range(len(class_start) - 1):
        start, stop = index(class_start[label]), index(class_start[label + 1])
        first = start - start % index(WORD)
        word = bits_within(bits, first, within) & (~index(0) << (start - first))
        while first < stop:
            if word == 0:
                first += index(WORD)
                word = bits_within(bits, first, within) if first < stop else index(0)
                continue
            j = integer(first + lowest_bit(word))
            word &= word - index(1)
            if j >= integer(stop):
                break
            last = best_column[n_neighbors - 1] if n_found == n_neighbors else integer(-1)
            is_behind = bool(last >= 0 and rank[last] < rank[j])
            # If none can be nearer, this one wins no tie, nor do those of its class that follow.
            if (twin >= 0 and rank[twin] < rank[j]) or (is_behind and best[n_neighbors - 1] == 0.0):
                break
            there = samples[j]
            if spots is not None:
                if is_here and spots[there] == spots[i] and (not adds or column[there] == column[i]):
                    twin = j
                    continue
                # What coincides with another one is as far as it: of one nearest, only the first by rank is kept.
                mate = some[0] if n_neighbors == 1 and n_some > 0 else last
                other = samples[mate] if mate >= 0 else i
                if mate >= 0 and spots[there] == spots[other] and (not adds or column[there] == column[other]):
                    if rank[mate] < rank[j]:
                        continue
                    if n_neighbors == 1 and n_some > 0:
                        some[0] = j
                        continue
            some[n_some] = j
            n_some += 1
            if n_some == len(some):
                n_found = _sum_up(
                    rows,
                    column,
                    i,
                    samples,
                    rank,
                    slot,
                    adds,
                    manhattan,
                    n_neighbors,
                    some,
                    n_some,
                    totals,
                    best,
                    best_column,
                    n_found,
                )
                n_some = integer(0)
    if spots is not None and n_neighbors == 1 and twin < 0 and n_found == 0 and n_some == 1:
        best_column[0] = some[0]  # nothing else is within reach but what coincides with it
        return 1
    n_found = _sum_up(
        rows,
        column,
        i,
        samples,
        rank,
        slot,
        adds,
        manhattan,
        n_neighbors,
        some,
        n_some,
        totals,
        best,
        best_column,
        n_found,
    )
    if twin >= 0 and (n_found == 0 or best[0] > 0.0 or rank[twin] < rank[best_column[0]]):
        best_column[0] = twin
        return 1
    return n_found


@inner
def _sum_up(
    rows: Values,
    column: Values,
    i: int,
    samples: Counts,
    rank: Counts,
    slot: int,
    adds: bool,
    manhattan: bool,
    n_neighbors: int,
    some: Counts,
    n_some: int,
    totals: Values,
    best: Values,
    best_column: Counts,
    n_found: int,
) -> int:
    """Insert some columns into the nearest by their sums, equal ones by rank; return how many there are now."""
    for p in range(n_some):
        totals[p] = 0.0
    for k in range(rows.shape[1] + 1):
        if k == slot and adds:
            for p in range(n_some):
                totals[p] += term(column[i] - column[samples[some[p]]], manhattan)
        if k < rows.shape[1] and (k != slot or adds):
            for p in range(n_some):
                totals[p] += term(rows[i, k] - rows[samples[some[p]], k], manhattan)
    for p in range(n_some):
        value, place = rooted(totals[p], manhattan), n_found
        while place > 0 and (
            best[place - 1] > value or (best[place - 1] == value and rank[best_column[place - 1]] > rank[some[p]])
        ):
            if place < n_neighbors:
                best[place], best_column[place] = best[place - 1], best_column[place - 1]
            place -= 1
        if place < n_neighbors:
            best[place], best_column[place] = value, some[p]
        n_found = min(n_found + 1, n_neighbors)
    return n_found

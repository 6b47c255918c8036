"""Lists of near samples that stay true for many steps.

A list holds the samples that may come nearest to a row, with their distances, which follow every step. About all
others it knows how near they can be. Adding a feature only lengthens distances, so such a bound stays true. Removing
one takes a single term away: a distance without its q dearest terms is a bound as long as no more than q of the
features have left. `bounds` are those for q = 0, 1 and 2, behind the first samples of a list and behind its last one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.definition import INF32, term

MOST_GONE = 2
_ONE, _QUARTER = 0x3F800000, 1 << 21  # bits of 1.0, and of a quarter of an octave


class Lists(NamedTuple):
    """One list per row."""

    sample: AnyArray
    distance: Values
    n_first: Counts  # how many are likely to be enough
    n_listed: Counts
    bounds: AnyArray  # (row, behind the first or behind the last, q)


@kernel
def fill_lists(
    lists: Lists,
    values: Values,
    size: int,
    row_sample: Counts,
    col_sample: Counts,
    some: Counts,
    n_first: int,
    n_listed: int,
    slope: float,
    offset: float,
    manhattan: bool,
    found: AnyArray,
    bits: AnyArray,
    column: Counts,
) -> None:
    """Make the lists of some rows of a group from their scanned distances, which are off by `slope` and `offset`.

    `values` holds the values of the members, one sample per row, and zeros up to a `size` that is a multiple of four.
    `bits` are those of `found`, which has a spare column; its dearest terms are replaced by the distances without them.
    `column` is working space for one more than are listed.
    """
    n_columns = index(len(col_sample))
    limit = limit_first = integer(_ONE)
    for p in range(len(some)):
        r = some[p]
        for j in range(n_columns):
            less = found[0, p, j] - found[1, p, j]
            least = less - found[2, p, j]
            found[1, p, j] = less if less > 0.0 else np.float32(0.0)
            found[2, p, j] = least if least > 0.0 else np.float32(0.0)
        limit = _limit(bits, p, n_columns, n_listed, limit)
        limit_first = _limit(bits, p, n_columns, n_first, limit_first)
        n_near: int = integer(0)
        for j in range(n_columns):  # no branch, which would be mispredicted
            column[n_near] = j
            n_near += integer(bits[1, p, j] < limit)
        count: int = integer(0)
        for k in range(n_near):
            j = column[k]
            column[k] = column[count]
            column[count] = j
            count += integer(bits[1, p, j] < limit_first)
        for k in range(n_near):
            j = col_sample[column[k]]
            lists.sample[r, k] = j
            lists.distance[r, k] = _distance(values, size, row_sample[r], j, manhattan)
        lists.n_first[r] = count
        lists.n_listed[r] = n_near
        for q in range(MOST_GONE + 1):
            behind = INF32
            for j in range(n_columns):
                other = bits[q, p, j] if bits[1, p, j] >= limit else INF32
                behind = other if other < behind else behind
            bits[q, p, n_columns] = behind
            last = float(found[q, p, n_columns])
            first = last
            for k in range(count, n_near):
                other_first = float(found[q, p, column[k]])
                first = other_first if other_first < first else first
            # What these are at least; nothing is subtracted where there is no sample.
            lists.bounds[r, 0, q] = first - (slope * first + offset) if first < np.inf else first
            lists.bounds[r, 1, q] = last - (slope * last + offset) if last < np.inf else last


@inner
def _limit(bits: AnyArray, p: int, n_columns: int, most: int, guess: int) -> Any:
    """Return a limit below which there are at most so many distances, and not many fewer if they differ.

    The search begins at a guess, which is the limit of another row.
    """
    low, high, step = integer(0), integer(INF32), integer(_QUARTER)
    limit = guess
    while low < high:
        bound, n_below = np.int32(limit), np.int32(0)
        for j in range(n_columns):
            n_below = np.int32(n_below + (np.int32(1) if bits[1, p, j] < bound else np.int32(0)))
        if n_below <= most and (n_below >= most - most // 4 or limit == INF32):
            return limit
        if n_below <= most:
            low = limit
        else:
            high = limit - 1
        nearby = limit + step if n_below <= most else limit - step
        limit = nearby if low < nearby < high else low + (high - low + 1) // 2
        step *= 2
    return low


@inner
def _distance(values: Values, size: int, i: int, j: int, manhattan: bool) -> float:
    """Return the distance of two samples in double; four sums do not wait for one another."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for k in range(index(0), index(size), index(4)):
        a += term(values[i, k] - values[j, k], manhattan)
        b += term(values[i, k + index(1)] - values[j, k + index(1)], manhattan)
        c += term(values[i, k + index(2)] - values[j, k + index(2)], manhattan)
        d += term(values[i, k + index(3)] - values[j, k + index(3)], manhattan)
    return (a + b) + (c + d)


@kernel
def shift_lists(lists: Lists, row_sample: Counts, column: Values, sign: int, manhattan: bool) -> None:
    """Add (sign 1) or subtract (-1) the terms of one feature."""
    for r in range(len(row_sample)):
        here = column[row_sample[r]]
        for k in range(lists.n_listed[r]):
            lists.distance[r, k] += sign * term(here - column[lists.sample[r, k]], manhattan)

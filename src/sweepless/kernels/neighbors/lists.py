"""1-NN for the neighbours of a subset from short lists of near columns, which are enough for most rows.

A list holds the columns that may be nearest after a step. Adding a feature only lengthens distances, so a column that
is not listed stays beyond the last listed one; removing a feature shortens a distance by at most the largest term of
the pair. A row is settled if its nearest column of the own class and its nearest of another class differ by more
than the errors of the filter (see `neighbors.definition`), and the nearer one precedes all unlisted columns.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors.definition import CELLS, OFFSET, SLOPE, Frame, fill_rows, term

_BLOCK = 64  # candidates whose values of all samples share the second-level cache
_SHRINK = np.float32(1.0 - 8.0 * 2.0**-24)  # more than the float32 of a distance, a term and their difference lose


def nearest_lists(
    frame: Frame,
    filtered: AnyArray,
    largest: AnyArray,
    rows: Values,
    sign: int,
    manhattan: bool,
    first_row: int,
    last_row: int,
    n_listed: int,
    list_column: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
) -> None:
    """Find the columns of some rows that may come nearest by an addition (sign 1) or a removal (-1).

    All other columns stay beyond `list_beyond`. The columns of the old list (-1 where there is none) bound the
    distances of the new one: only columns within that bound are sorted.
    """
    n_columns = frame.col_sample.shape[1]
    is_near = np.zeros((n_columns + 7) // 8 * 8, dtype=np.uint8)
    height = len(frame.row_sample) if len(filtered) else max(1, CELLS // n_columns)
    for first in range(first_row, last_row, height):
        part = slice(first, min(first + height, last_row))
        if len(filtered):
            base, most = filtered[part], largest[part]
        else:
            base, most = np.empty((2, part.stop - first, n_columns), dtype=np.float32)
            fill_rows(frame, rows, np.arange(first, part.stop), manhattan, base, most)
        _nearest_lists(
            base,
            most,
            frame.row_group[part],
            frame.row_class[part],
            frame.col_sample,
            frame.col_class,
            sign,
            np.empty(n_columns, dtype=np.float32),
            is_near,
            is_near.view(np.uint64),
            np.empty(n_listed + 1, dtype=np.float32),
            np.empty(n_listed + 1, dtype=np.int64),
            list_column[part],
            list_sample[part],
            list_same[part],
            list_distance[part],
            list_beyond[part],
        )


@kernel
def _nearest_lists(
    bases: AnyArray,
    mosts: AnyArray,
    row_group: Counts,
    row_class: Counts,
    col_sample: Counts,
    col_class: Counts,
    sign: int,
    least: AnyArray,
    is_near: AnyArray,
    eight_near: AnyArray,
    found: AnyArray,
    columns: Counts,
    list_column: AnyArray,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
) -> None:
    """Fill the lists, given distances and largest terms; the arguments from `least` to `columns` are working space."""
    n_columns = index(len(least))
    n_listed = len(found) - 1
    for r in range(len(bases)):
        # What a distance can shrink to.
        base = bases[r]
        if sign > 0:
            for j in range(n_columns):
                least[j] = base[j] * _SHRINK
        else:
            for j in range(n_columns):
                least[j] = base[j] * _SHRINK - mosts[r, j]
        within = np.float32(-np.inf)
        for k in range(n_listed + 1):
            old = list_column[r, k]
            reached = least[old] if old >= 0 else np.float32(np.inf)
            within = reached if reached > within else within
            found[k] = np.inf
            columns[k] = -1
        for j in range(n_columns):
            is_near[j] = least[j] <= within
        for eight in range(index(len(eight_near))):
            if eight_near[eight] == 0:
                continue
            for j in range(index(8) * eight, index(8) * eight + index(8)):
                # As `insert`, which would be compiled once more for float32.
                if is_near[j] and least[j] < found[n_listed]:
                    value = least[j]
                    place = n_listed
                    while place > 0 and found[place - 1] > value:
                        found[place] = found[place - 1]
                        columns[place] = columns[place - 1]
                        place -= 1
                    found[place] = value
                    columns[place] = j
        group = row_group[r]
        for k in range(n_listed + 1):
            column = columns[k]  # -1 where there is none: infinitely far
            list_column[r, k] = column
            list_sample[r, k] = col_sample[group, column]
            list_same[r, k] = col_class[group, column] == row_class[r]
            list_distance[r, k] = base[column] if column >= 0 else np.float32(np.inf)
        list_beyond[r] = found[n_listed]


def settle_by_lists(
    frame: Frame,
    n_listed: int,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
    centered: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    manhattan: bool,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count, per candidate and account, the rows whose nearest column is proved to be of their class.

    Rows for which neither this nor the opposite is proved are marked open, per row and candidate. All candidates of a
    block share one pass through a list: their values of one sample lie side by side.
    """
    margins = 2.0 * ((OFFSET + SLOPE) * spans + drift) * (1.0 + 1e-6)
    n_blocks = (len(centered) + _BLOCK - 1) // _BLOCK
    most = (len(centered) + n_blocks - 1) // max(n_blocks, 1)  # candidates of a block
    lanes = (most + 7) // 8 * 8  # whole vectors, filled up with a candidate of the block
    beside = np.empty((centered.shape[1], lanes), dtype=np.float32)
    margin = np.empty(lanes, dtype=np.float32)
    floats = np.empty((3, lanes), dtype=np.float32)
    is_proved = np.empty((len(is_open), lanes), dtype=np.bool_)
    for block in range(n_blocks):
        first, last = block * len(centered) // n_blocks, (block + 1) * len(centered) // n_blocks
        width = last - first
        beside[:, :width], beside[:, width:] = centered[first:last].T, centered[first, :, None]
        margin[:width], margin[width:] = margins[first:last], margins[first]
        tally = np.zeros((correct.shape[1], lanes), dtype=np.int32)
        _settle_by_lists(
            frame.row_sample,
            frame.row_account,
            n_listed,
            list_sample,
            list_same,
            list_distance,
            list_beyond,
            beside,
            margin,
            np.float32(sign),
            manhattan,
            floats,
            floats.view(np.int32),
            is_proved,
            tally,
        )
        correct[first:last] += tally[:, :width].T
        np.logical_not(is_proved[:, :width], out=is_open[:, first:last])


@kernel
def _settle_by_lists(
    row_sample: Counts,
    row_account: Counts,
    n_listed: int,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
    beside: AnyArray,
    margin: AnyArray,
    signed: np.float32,
    manhattan: bool,
    floats: AnyArray,
    bits: AnyArray,
    is_proved: Mask,
    tally: AnyArray,
) -> None:
    """Count in one block of candidates; `floats` and their `bits` are working space.

    No loop over candidates branches. Minima are taken of the bits, since only those of integers are vectorised; see
    `neighbors.decision.least`.
    """
    lanes = index(len(margin))
    distances, same, other = floats[0], floats[1], floats[2]
    distance_bits, same_bits, other_bits = bits[0], bits[1], bits[2]
    for r in range(len(row_sample)):
        for c in range(lanes):
            same[c] = np.inf
            other[c] = np.inf
        here = row_sample[r]
        farthest = np.float32(0.0)  # of the listed: errors grow with the distance, and with the term
        for k in range(n_listed):
            distance = list_distance[r, k]
            if distance == np.inf:
                break
            farthest = distance if distance > farthest else farthest
            there = list_sample[r, k]
            for c in range(lanes):
                distances[c] = distance + signed * term(beside[here, c] - beside[there, c], manhattan)
            least = same_bits if list_same[r, k] else other_bits
            for c in range(lanes):
                least[c] = distance_bits[c] if distance_bits[c] < least[c] else least[c]
        # A row is proved if its nearest column of one kind is nearer than that of the other and than all unlisted ones.
        rest = list_beyond[r]
        bound = np.float32(2.0 * SLOPE) * farthest
        counted = tally[row_account[r]]
        for c in range(lanes):
            apart = bound + margin[c]
            is_nearest = (rest - same[c] > apart) | (rest - other[c] > apart)
            proved = (abs(same[c] - other[c]) > apart) & is_nearest
            is_proved[r, c] = proved
            counted[c] += np.int32(proved & (same[c] < other[c]))

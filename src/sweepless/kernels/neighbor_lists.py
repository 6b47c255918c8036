"""1-NN next door to a subset from short lists of near neighbours: most rows need no more.

A list holds the columns that may come nearest after a step. Adding a feature only lengthens distances, so what is
not among the nearest now stays beyond the last of them; removing one shortens a distance by the pair's largest term
at most. Where the nearest of the own class and of the others lie apart by more than the errors of the
filter (see `neighbors`) and one of them before all that is not listed, the row is settled.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels.neighbors import INF32, OFFSET, SLOPE, Frame, fill_row

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

    `list_beyond` is what all others stay beyond. The columns of the old list (-1 where there is none) tell
    within which distance the new list lies: only what is that near is sorted in.
    """
    n_columns = frame.col_sample.shape[1]
    is_near = np.zeros((n_columns + 7) // 8 * 8, dtype=np.uint8)
    _nearest_lists(
        frame,
        filtered,
        largest,
        rows,
        sign,
        manhattan,
        first_row,
        last_row,
        None if len(filtered) else np.empty((2, n_columns), dtype=np.float32),
        np.empty(n_columns, dtype=np.float32),
        is_near,
        is_near.view(np.uint64),
        np.empty(n_listed + 1, dtype=np.float32),
        np.empty(n_listed + 1, dtype=np.int64),
        list_column,
        list_sample,
        list_same,
        list_distance,
        list_beyond,
    )


@kernel
def _nearest_lists(
    frame: Frame,
    filtered: AnyArray,
    largest: AnyArray,
    rows: Values,
    sign: int,
    manhattan: bool,
    first_row: int,
    last_row: int,
    computed: AnyArray | None,
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
    """Fill the lists; from `computed` to `columns` these are note pads, `computed` where no distances are kept."""
    n_columns = index(len(least))
    n_listed = len(found) - 1
    for r in range(first_row, last_row):
        if computed is None:
            base, most = filtered[r], largest[r]
        else:
            base, most = computed[0], computed[1]
            fill_row(frame, rows, r, manhattan, base, most)
        # What a distance can shrink to.
        if sign > 0:
            for j in range(n_columns):
                least[j] = base[j] * _SHRINK
        else:
            for j in range(n_columns):
                least[j] = base[j] * _SHRINK - most[j]
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
                if is_near[j] and least[j] < found[n_listed]:
                    place = n_listed
                    while place > 0 and found[place - 1] > least[j]:
                        found[place] = found[place - 1]
                        columns[place] = columns[place - 1]
                        place -= 1
                    found[place] = least[j]
                    columns[place] = j
        group = frame.row_group[r]
        own_start = frame.class_start[group, frame.row_class[r]]
        own_stop = frame.class_start[group, frame.row_class[r] + 1]
        for k in range(n_listed + 1):
            column = columns[k]
            list_column[r, k] = column
            list_sample[r, k] = frame.col_sample[group, column] if column >= 0 else 0
            list_distance[r, k] = base[column] if column >= 0 else np.float32(np.inf)
            list_same[r, k] = own_start <= column < own_stop
        list_beyond[r] = found[n_listed]


def settle_by_lists(
    frame: Frame,
    n_listed: int,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
    centred: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    manhattan: bool,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count, per candidate and account, the rows whose nearest neighbour is proved to be of their class.

    Rows of which neither this nor the contrary is proved are marked open, per row and candidate. All candidates of a
    block go through a list together: their values of one sample lie side by side.
    """
    floats = np.zeros((4, _BLOCK), dtype=np.float32)
    _settle_by_lists(
        frame.row_sample,
        frame.row_account,
        n_listed,
        list_sample,
        list_same,
        list_distance,
        list_beyond.view(np.int32),
        centred,
        2.0 * ((OFFSET + SLOPE) * spans + drift) * (1.0 + 1e-6),
        np.float32(sign),
        manhattan,
        np.zeros((centred.shape[1], _BLOCK), dtype=np.float32),
        floats,
        floats.view(np.int32),
        np.empty((3, _BLOCK), dtype=np.int32),
        np.empty((correct.shape[1], _BLOCK), dtype=np.int32),
        is_open,
        correct,
    )


@kernel
def _settle_by_lists(
    row_sample: Counts,
    row_account: Counts,
    n_listed: int,
    list_sample: AnyArray,
    list_same: AnyArray,
    list_distance: AnyArray,
    list_beyond: AnyArray,
    centred: AnyArray,
    margins: Values,
    signed: np.float32,
    manhattan: bool,
    beside: AnyArray,
    floats: AnyArray,
    bits: AnyArray,
    least: AnyArray,
    tally: AnyArray,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count; from `beside` to `tally` these are note pads.

    All loops over candidates are free of branches. Minima are taken of the floats' bits, because only
    integers do it vectorised; see `neighbor_decision.least`. Rows of `floats`: the distance to a listed column, the
    least and the second of both kinds, the margin; of `least`: of the other classes, of the own; and what is proved.
    """
    n_accounts = len(tally)
    n_blocks = (len(centred) + _BLOCK - 1) // _BLOCK
    for block in range(n_blocks):
        first = block * len(centred) // n_blocks
        width = (block + 1) * len(centred) // n_blocks - first
        lanes = index((width + 7) // 8 * 8)
        for account in range(n_accounts):
            for c in range(index(_BLOCK)):
                tally[account, c] = 0
        for c in range(width):
            floats[3, c] = margins[first + c]
            for sample in range(index(len(beside))):
                beside[sample, c] = centred[first + c, sample]
        for r in range(len(row_sample)):
            here = row_sample[r]
            for c in range(lanes):
                least[0, c] = INF32
                least[1, c] = INF32
            farthest = np.float32(0.0)  # of the listed: errors grow with the distance, and with the term
            for k in range(n_listed):
                distance = list_distance[r, k]
                if distance == np.inf:
                    break
                farthest = distance if distance > farthest else farthest
                there = list_sample[r, k]
                if manhattan:
                    for c in range(lanes):
                        floats[0, c] = distance + signed * abs(beside[here, c] - beside[there, c])
                else:
                    for c in range(lanes):
                        difference = beside[here, c] - beside[there, c]
                        floats[0, c] = distance + signed * (difference * difference)
                kind = integer(list_same[r, k])
                for c in range(lanes):
                    least[kind, c] = bits[0, c] if bits[0, c] < least[kind, c] else least[kind, c]
            rest = list_beyond[r]
            for c in range(lanes):
                other, same = least[0, c], least[1, c]
                bits[1, c] = same if same < other else other
                second = other if same < other else same
                bits[2, c] = second if second < rest else rest
            bound = np.float32(2.0 * SLOPE) * farthest
            account = row_account[r]
            n_proved = 0
            for c in range(lanes):
                least[2, c] = floats[2, c] - floats[1, c] > bound + floats[3, c]
            for c in range(lanes):
                tally[account, c] += least[2, c] & np.int32(least[1, c] < least[0, c])
            for c in range(index(width)):
                n_proved += least[2, c]
            if n_proved < width:
                for c in range(width):
                    is_open[r, first + c] = least[2, c] == 0
        for c in range(width):
            for account in range(n_accounts):
                correct[first + c, account] += tally[account, c]

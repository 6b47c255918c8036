"""1-NN for the neighbours of a subset from lists of near samples, which are enough for most rows.

A row is settled if its nearest sample of the own class and its nearest of another class differ by more than the errors
of the filter (see `neighbors.definition`), and the nearer one precedes all samples that were not looked at. First all
candidates look at the first samples of a list side by side; those that are not settled look at the others, one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, inner, integer, kernel
from sweepless.kernels.neighbors.definition import OFFSET, SLOPE, term
from sweepless.kernels.neighbors.lists import Lists

_BLOCK = 128  # candidates whose values of all samples share the second-level cache
_ALL_EIGHT = np.uint64(0x0101010101010101)
TIED, UNKNOWN = 1, 2  # what a row is open for: its nearest samples are listed, but too close to call; they are not


def settle_by_lists(
    lists: Lists,
    n_gone: Counts,
    row_sample: Counts,
    row_class: Counts,
    row_account: Counts,
    sample_class: Counts,
    centered: AnyArray,
    spans: Values,
    drift: float,
    sign: int,
    manhattan: bool,
    is_open: AnyArray,
    reasons: Mask,
    correct: Counts,
) -> None:
    """Count, per candidate and account, the rows whose nearest sample is proved to be of their class.

    Other rows are marked as open, per candidate and row, and the rows that are open for each reason, too. `n_gone` says
    for each row how many features have left since its list was made. All candidates of a block share one pass through
    a list: their values of one sample lie side by side.
    """
    margins = 2.0 * ((OFFSET + SLOPE) * spans + drift) * (1.0 + 1e-6)
    n_blocks = (len(centered) + _BLOCK - 1) // _BLOCK
    most = (len(centered) + n_blocks - 1) // max(n_blocks, 1)  # candidates of a block
    lanes = (most + 7) // 8 * 8  # whole vectors, filled up with a candidate of the block
    beside = np.empty((centered.shape[1], lanes), dtype=np.float32)
    margin = np.empty(lanes, dtype=np.float32)
    least_two = np.empty((2, lanes), dtype=np.float32)
    is_proved = np.empty(lanes, dtype=np.bool_)
    for block in range(n_blocks):
        first, last = block * len(centered) // n_blocks, (block + 1) * len(centered) // n_blocks
        width = last - first
        beside[:, :width], beside[:, width:] = centered[first:last].T, centered[first, :, None]
        margin[:width], margin[width:] = margins[first:last], margins[first]
        tally = np.zeros((correct.shape[1], lanes), dtype=np.int32)
        _settle_block(
            lists,
            n_gone,
            row_sample,
            row_class,
            row_account,
            sample_class,
            beside,
            margin,
            np.float32(sign),
            manhattan,
            least_two,
            is_proved,
            is_proved.view(np.uint64),
            is_open[first:last],
            reasons,
            tally,
        )
        correct[first:last] += tally[:, :width].T


@kernel
def _settle_block(
    lists: Lists,
    n_gone: Counts,
    row_sample: Counts,
    row_class: Counts,
    row_account: Counts,
    sample_class: Counts,
    beside: AnyArray,
    margin: AnyArray,
    signed: np.float32,
    manhattan: bool,
    least_two: AnyArray,
    is_proved: Mask,
    eight_proved: AnyArray,
    is_open: AnyArray,
    reasons: Mask,
    tally: AnyArray,
) -> None:
    """Count in one block of candidates; the arguments from `least_two` to `eight_proved` are working space.

    No loop over candidates branches.
    """
    lanes = index(len(margin))
    width = index(len(is_open))
    same, other = least_two[0], least_two[1]
    for r in range(len(row_sample)):
        for c in range(lanes):
            same[c] = np.inf
            other[c] = np.inf
        here = row_sample[r]
        own = row_class[r]
        farthest = np.float32(0.0)  # of those looked at: errors grow with the distance, and with the term
        for k in range(lists.n_first[r]):
            distance = np.float32(lists.distance[r, k])
            farthest = distance if distance > farthest else farthest
            there = lists.sample[r, k]
            least = same if sample_class[there] == own else other
            for c in range(lanes):
                value = distance + signed * term(beside[here, c] - beside[there, c], manhattan)
                least[c] = value if value < least[c] else least[c]
        # A row is proved if its nearest sample of one kind is nearer than that of the other and than all the rest.
        gone = n_gone[r] + integer(signed < 0.0)
        rest = lists.bounds[r, 0, gone]
        bound = np.float32(2.0 * SLOPE) * farthest
        counted = tally[row_account[r]]
        for c in range(lanes):
            apart = bound + margin[c]
            is_nearest = (rest - same[c] > apart) | (rest - other[c] > apart)
            proved = (abs(same[c] - other[c]) > apart) & is_nearest
            is_proved[c] = proved
            counted[c] += np.int32(proved & (same[c] < other[c]))
        for eight in range(index(len(eight_proved))):
            if eight_proved[eight] == _ALL_EIGHT:
                continue
            for c in range(index(8) * eight, index(8) * eight + index(8)):
                if is_proved[c] or c >= width:
                    continue
                winner = _settle_one(
                    lists, r, here, own, sample_class, beside, c, signed, manhattan, same[c], other[c], gone, margin[c]
                )
                if winner < 2:
                    counted[c] += np.int32(winner)
                else:
                    is_open[c, r] = winner - 1
                    reasons[winner - 1, r] = True  # other threads may set it, too


@inner
def _settle_one(
    lists: Lists,
    r: int,
    here: int,
    own: int,
    sample_class: Counts,
    beside: AnyArray,
    c: int,
    signed: np.float32,
    manhattan: bool,
    same: np.float32,
    other: np.float32,
    gone: int,
    margin: np.float32,
) -> Any:
    """Look at the whole list; return 1 if a row is correct, 0 if it is not, or why it is open, plus one."""
    farthest = 0.0
    for k in range(lists.n_listed[r]):
        farthest = lists.distance[r, k] if lists.distance[r, k] > farthest else farthest
        if k < lists.n_first[r]:
            continue
        there = lists.sample[r, k]
        value = np.float32(lists.distance[r, k]) + signed * term(beside[here, c] - beside[there, c], manhattan)
        if sample_class[there] == own:
            same = value if value < same else same
        else:
            other = value if value < other else other
    apart = np.float32(2.0 * SLOPE * farthest) + margin
    low = same if same < other else other
    if not lists.bounds[r, 1, gone] - low > apart:
        return 1 + UNKNOWN
    if not abs(same - other) > apart:
        return 1 + TIED
    return integer(same < other)

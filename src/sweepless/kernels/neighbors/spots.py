"""k-NN on data whose samples coincide: what is equal on all members is looked at once.

Where values repeat, as in counts of words, most samples equal many others on a few features. Such samples share a
*spot*. Two facts spare them most of the work:

- After a removal they still coincide. So rows that share a spot, a class and a fold share their result.
- In an addition, a column with the row's own value of the candidate keeps its distance, and no column comes nearer.
  So if one spot is nearer than all others, and its first columns by rank have the row's value, they are the nearest.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels.neighbors.definition import SLOPE, Frame, ballot_for, points, vote

_BLOCK = 64  # candidates whose values of all samples share the second-level cache
_MULTIPLIER = 0x9E3779B97F4A7C15  # any odd number with many digits


def spots_of(rows: Values) -> Counts:
    """Number the spots of all samples: equal numbers only for samples that are equal on all members."""
    weights = np.cumprod(np.full(rows.shape[1], _MULTIPLIER, dtype=np.uint64))
    bits = (rows + 0.0).view(np.uint64)  # zeros of either sign are the same value
    bits ^= bits >> np.uint64(32)  # of differences in the highest bits only, products would keep little
    spots: Counts
    _, first, spots = np.unique(bits @ weights, return_index=True, return_inverse=True)
    others = np.flatnonzero(first[spots] != np.arange(len(rows)))
    others = others[(rows[first[spots[others]]] != rows[others]).any(axis=1)]  # their keys agree by chance
    spots[others] = len(first) + np.arange(len(others))
    return spots


def share_rows(frame: Frame, spots: Counts, is_open: Mask) -> Counts:
    """Close all rows but the first of those that share their result; return for how many rows each one stands."""
    keys = spots[frame.row_sample]
    for part in (frame.row_fold, frame.row_class + 1, frame.row_account):
        keys = keys * (part.max() + 1) + part
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    leaders = first[numbers]
    leaders = np.where((is_open == is_open[leaders]).all(axis=1), leaders, np.arange(len(leaders)))
    shares = np.bincount(leaders, minlength=len(leaders))
    is_open[shares == 0] = False
    return shares


def settle_by_spots(
    frame: Frame,
    distances: AnyArray,
    spots: Counts,
    columns: Values,
    drift: float,
    n_neighbors: int,
    gains: Counts | None,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count, for additions, the open rows whose nearest columns share one spot, or their points, and close them."""
    n_rows, n_columns = distances.shape
    samples = np.empty((n_rows, n_neighbors), dtype=np.int64)
    gained = np.empty(n_rows, dtype=np.int64)
    is_some, is_apart = is_open.any(axis=1), np.zeros(n_rows, dtype=np.bool_)
    for group in range(len(frame.col_sample)):
        _nearest_spots(
            np.flatnonzero(is_some & (frame.row_group == group)),
            distances,
            spots,
            frame.row_class,
            frame.col_sample[group],
            frame.col_class[group],
            frame.col_order[group, : frame.class_start[group, -1]],
            drift,
            n_neighbors,
            np.full((2, len(spots)), -1),
            np.empty((2, n_columns), dtype=np.int64),
            np.empty(n_neighbors, dtype=np.int64),
            ballot_for(frame, n_neighbors, gains),
            gains,
            samples,
            gained,
            is_apart,
        )
    some = np.flatnonzero(is_apart)
    is_equal = np.empty(_BLOCK, dtype=np.bool_)
    for first in range(0, len(columns), _BLOCK):
        block = np.ascontiguousarray(columns[first : first + _BLOCK].T)
        tally = np.zeros((correct.shape[1], block.shape[1]), dtype=np.int64)
        _settle_by_spots(
            some, samples, gained, frame.row_sample, frame.row_account, block, first, is_equal, is_open, tally
        )
        correct[first : first + _BLOCK] += tally.T


@kernel
def _nearest_spots(
    some: Features,
    distances: AnyArray,
    spots: Counts,
    row_class: Counts,
    col_sample: Counts,
    col_class: Counts,
    col_order: Counts,
    drift: float,
    n_neighbors: int,
    ends: Counts,
    chains: Counts,
    found: Counts,
    votes: Counts | None,
    gains: Counts | None,
    samples: Counts,
    gained: Counts,
    is_apart: Mask,
) -> None:
    """Find the first samples of the nearest spot of every row, and what they are worth, where it is proved the nearest.

    The arguments from `ends` to `votes` are working space.
    """
    first_of, last_of = ends[0], ends[1]
    following, firsts = chains[0], chains[1]
    n_spots = 0
    for place in range(len(col_order)):  # chain the columns of every spot by rank
        j = col_order[place]
        spot = spots[col_sample[j]]
        following[j] = -1
        if first_of[spot] < 0:
            first_of[spot] = j
            firsts[n_spots] = j
            n_spots += 1
        else:
            following[last_of[spot]] = j
        last_of[spot] = j
    for k in range(len(some)):
        r = some[k]
        base = distances[r]
        low, high = np.float32(np.inf), np.float32(np.inf)
        nearest = integer(-1)
        for s in range(n_spots):
            j = firsts[s]
            while j >= 0 and base[j] == np.inf:  # it may not classify this row
                j = following[j]
            if j >= 0 and base[j] < high:
                high = base[j]
                if high < low:
                    low, high = high, low
                    nearest = j
        if high < np.inf and not float(high) - float(low) > SLOPE * (float(high) + float(low)) + 2.0 * drift:
            continue
        n_found = integer(0)
        while nearest >= 0 and n_found < n_neighbors:
            if base[nearest] < np.inf:
                found[n_found] = nearest
                samples[r, n_found] = col_sample[nearest]
                n_found += 1
            nearest = following[nearest]
        if n_found == n_neighbors:
            is_apart[r] = True
            gained[r] = points(vote(found, n_found, col_class, votes), row_class[r], votes, gains)


@kernel
def _settle_by_spots(
    some: Features,
    samples: Counts,
    gained: Counts,
    row_sample: Counts,
    row_account: Counts,
    block: Values,
    first: int,
    is_equal: Mask,
    is_open: Mask,
    tally: Counts,
) -> None:
    """Count in one block of candidates, whose values of one sample lie side by side."""
    lanes, begin = index(block.shape[1]), index(first)
    for k in range(len(some)):
        r = some[k]
        here, account, gain = row_sample[r], row_account[r], gained[r]
        for c in range(lanes):
            is_equal[c] = is_open[r, begin + c]
        for n in range(samples.shape[1]):
            there = samples[r, n]
            for c in range(lanes):
                is_equal[c] &= block[here, c] == block[there, c]
        for c in range(lanes):
            tally[account, c] += gain * is_equal[c]
        for c in range(lanes):
            is_open[r, begin + c] ^= is_equal[c]

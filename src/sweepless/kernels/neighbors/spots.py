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
from sweepless.kernels._jit import integer, kernel
from sweepless.kernels.neighbors.definition import SLOPE, Frame, points, vote

_MULTIPLIER = 0x9E3779B97F4A7C15


def spots_of(rows: Values) -> Counts:
    """Number the spots of all samples: equal numbers only for samples that are equal on all members."""
    weights = np.cumprod(np.full(rows.shape[1], _MULTIPLIER, dtype=np.uint64))
    keys = (rows + 0.0).view(np.uint64) @ weights  # zeros of either sign are the same value
    first, spots = np.unique(keys, return_index=True, return_inverse=True)[1:]
    return spots if np.array_equal(rows[first[spots]], rows) else np.arange(len(rows))


def share_rows(frame: Frame, spots: Counts, is_open: Mask) -> Counts:
    """Close all rows but the first of those that share their result; return for how many rows each one stands."""
    keys = spots[frame.row_sample]
    for part in (frame.row_fold, frame.row_class + 1, frame.row_account):
        keys = keys * (part.max() + 1) + part
    first, numbers = np.unique(keys, return_index=True, return_inverse=True)[1:]
    leaders = first[numbers]
    leaders = np.where((is_open == is_open[leaders]).all(axis=1), leaders, np.arange(len(leaders)))
    shares = np.bincount(leaders, minlength=len(leaders))
    is_open[shares == 0] = False
    return shares


@kernel
def settle_by_spots(
    some: Features,
    places: Features,
    distances: AnyArray,
    spots: Counts,
    row_sample: Counts,
    row_class: Counts,
    row_account: Counts,
    col_sample: Counts,
    col_class: Counts,
    col_order: Counts,
    columns: Values,
    drift: float,
    n_neighbors: int,
    first_of: Counts,
    last_of: Counts,
    following: Counts,
    firsts: Counts,
    best_column: Counts,
    votes: Counts | None,
    gains: Counts | None,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count, for additions, in those of `some` rows of a group whose nearest columns share one spot.

    These are no longer open. The arguments from `first_of` to `votes` are working space.
    """
    for j in range(len(first_of)):
        first_of[j] = -1
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
        base = distances[places[k]]
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
        if nearest < 0 or not float(high) - float(low) > SLOPE * (float(high) + float(low)) + 2.0 * drift:
            continue
        n_found = integer(0)
        j = nearest
        while j >= 0 and n_found < n_neighbors:
            if base[j] < np.inf:
                best_column[n_found] = j
                n_found += 1
            j = following[j]
        if n_found < n_neighbors:
            continue
        winner = vote(best_column, n_found, col_class, votes)
        gained = points(winner, row_class[r], votes, gains)
        here = row_sample[r]
        for c in range(len(columns)):
            if not is_open[r, c]:
                continue
            is_equal = True
            for found in range(n_found):
                is_equal &= columns[c, here] == columns[c, col_sample[best_column[found]]]
            if is_equal:
                is_open[r, c] = False
                correct[c, row_account[r]] += gained

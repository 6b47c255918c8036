"""The rivals of a row: the columns that can be among its nearest after a removal, whichever feature leaves.

A removal shortens the distance of a pair by at most its largest term, and lengthens none. So a column whose distance
without its largest term is greater than that of the nearest column now will not be the nearest. And of columns that
coincide, which they go on to do, the first by rank are enough. Few are left. They are found once for all candidates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.kernels._jit import index, inner, integer
from sweepless.kernels._lanes import WIDTH, every, least, load, store, with_term
from sweepless.kernels.neighbors.decision import least as least_of
from sweepless.kernels.neighbors.decision import nearest
from sweepless.kernels.neighbors.definition import SLOPE, Frame, shares_columns
from sweepless.kernels.neighbors.grid import FAR, Pairs

_INF32 = np.float32(np.inf)
_FAR32 = np.float32(1e38)  # finite, so that differences are numbers; no sum of terms comes near


class Rivals(NamedTuple):
    """Room for the columns that are rivals, in the order of the columns, and what is known of them."""

    sample: Counts
    label: Counts
    rank: Counts
    places: Counts  # working space
    class_start: Counts  # where each class begins, and where the last ends
    keys: AnyArray  # what is left of the distances of all columns without their largest terms
    n_seen: Counts  # per spot; none if columns that coincide may not classify the same rows
    is_hidden: Mask  # columns that coincide with others before them


def room_for_rivals(frame: Frame, n_samples: int) -> Rivals:
    """Return room for the rivals of any row."""
    n_columns = frame.col_sample.shape[1]
    sample, label, rank, places = np.empty((4, n_columns), dtype=np.int64)
    class_start, keys = np.empty(frame.class_start.shape[1], dtype=np.int64), np.empty(n_columns, dtype=np.int32)
    # Where folds share their columns, the first of those that coincide may not be allowed to classify a row.
    n_seen = np.empty(0 if shares_columns(frame) else n_samples, dtype=np.int64)
    is_hidden = np.zeros(n_columns, dtype=np.bool_)
    return Rivals(sample, label, rank, places, class_start, keys, n_seen, is_hidden)


@inner
def hide_repeated(rivals: Rivals, order: Counts, samples: Counts, spots: Counts, n_neighbors: int) -> None:
    """Hide columns of a group that coincide with so many before them by rank that they are never among the nearest."""
    for spot in range(len(rivals.n_seen)):
        rivals.n_seen[spot] = 0
    for place in range(len(order) if len(rivals.n_seen) else 0):
        spot = spots[samples[order[place]]]
        rivals.is_hidden[order[place]] = rivals.n_seen[spot] >= n_neighbors
        rivals.n_seen[spot] += 1


@inner
def keep_rivals(
    rivals: Rivals,
    frame: Frame,
    group: int,
    pairs: Pairs,
    place: int,
    unit: float,
    offset: float,
    n_neighbors: int,
    whole: AnyArray,
    bits: AnyArray,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
) -> Any:
    """Keep the rivals of a row, and their distances in `whole`, which holds those of all columns; return how many."""
    n_columns = len(rivals.keys)
    for j in range(index(n_columns)):
        whole[j] = _INF32 if rivals.is_hidden[j] else whole[j]
    if votes is None:  # one neighbor
        bits[n_columns] = least_of(bits, integer(0), n_columns)
        reach = float(whole[n_columns])
    else:
        n_found = nearest(whole, bits, n_neighbors, best, best_column)
        reach = best[n_neighbors - 1] if n_found == n_neighbors else np.inf
    # With room for the roundings of the bound itself.
    reach = (reach * (1.0 + SLOPE) + 2.0 * offset) / (1.0 - SLOPE) * (1.0 + 2.0**-22)
    limit, n_kept = np.int32(min(reach / unit, FAR - 1.0)), index(0)
    for j in range(index(n_columns)):
        rivals.keys[j] = pairs.sums[place, j] - pairs.largest[place, j] if whole[j] < _INF32 else FAR
    for j in range(index(n_columns)):  # without a branch that no processor could foresee
        rivals.places[n_kept] = j
        n_kept += index(rivals.keys[j] <= limit)
    for label in range(len(rivals.class_start)):
        rivals.class_start[label] = 0
    for k in range(n_kept):
        j = rivals.places[k]
        rivals.sample[k] = frame.col_sample[group, j]
        rivals.label[k] = frame.col_class[group, j]
        rivals.rank[k] = frame.col_rank[group, j]
        whole[k] = whole[j]
        rivals.class_start[rivals.label[k] + 1] += 1
    for label in range(1, len(rivals.class_start)):
        rivals.class_start[label] += rivals.class_start[label - 1]
    return integer(n_kept)


@inner
def find_least(
    rivals: Rivals, own: int, here: int, whole: AnyArray, beside: AnyArray, manhattan: bool, least_near: AnyArray
) -> None:
    """Find the least distances to rivals of the row's class, and to others, whichever of the features leaves.

    `whole` holds the distances of the rivals, and `beside` all candidates' values of a sample side by side.
    """
    far, minus_one = every(_FAR32), np.float32(-1.0)
    is_known, end = 0 <= own < len(rivals.class_start) - 1, rivals.class_start[-1]
    start = index(rivals.class_start[own] if is_known else end)
    stop = index(rivals.class_start[own + 1] if is_known else end)
    for c in range(index(0), index(beside.shape[1]), index(WIDTH)):
        value, same, other = load(beside, index(here), c), far, far
        for k in range(start):
            there = load(beside, index(rivals.sample[k]), c)
            other = least(with_term(every(whole[k]), minus_one, value, there, manhattan), other)
        for k in range(start, stop):
            there = load(beside, index(rivals.sample[k]), c)
            same = least(with_term(every(whole[k]), minus_one, value, there, manhattan), same)
        for k in range(stop, index(end)):
            there = load(beside, index(rivals.sample[k]), c)
            other = least(with_term(every(whole[k]), minus_one, value, there, manhattan), other)
        store(least_near, index(0), c, same)
        store(least_near, index(1), c, other)

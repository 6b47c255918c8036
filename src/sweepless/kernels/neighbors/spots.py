"""k-NN on data whose values repeat: what is equal is looked at once.

In counts of words, for instance, most samples equal many others on a few features. Such samples share a *spot*, and
many equal their nearest neighbors in a candidate. Two facts spare them most of the work:

- After a removal they still coincide. So rows that share a spot, a class and a fold share their result.
- In an addition, a column with the row's own value of the candidate keeps its distance, to the last bit, and no column
  comes nearer, since rounding keeps order. So if all of the nearest columns have the row's value, they stay that.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels.neighbors.by_definition import ABREAST, nearest_by_definition, room_for_distances
from sweepless.kernels.neighbors.codes import VARIOUS
from sweepless.kernels.neighbors.decision import least, nearest
from sweepless.kernels.neighbors.definition import SLOPE, Frame, ballot_for, points, vote
from sweepless.kernels.neighbors.grid import Pairs, bring_row, show_row

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


def settle_by_nearest(
    frame: Frame,
    pairs: Pairs,
    unit: float,
    rows: Values,
    spots: Counts,
    codes: AnyArray,
    at: Features,
    original: Features | None,
    drift: float,
    n_neighbors: int,
    manhattan: bool,
    some: Features,
    gains: Counts | None,
    is_open: Mask,
    correct: Counts,
) -> None:
    """Count, for additions, the open rows whose nearest columns have the row's value, or their points; close them.

    `codes` holds codes of values sample by sample (see `neighbors.codes`), those of the candidates at some places;
    those of a sample are those of its original, if it has one.
    """
    n_rows, n_columns = len(is_open), frame.col_sample.shape[1]
    samples = np.empty((n_rows, n_neighbors), dtype=np.int64)
    gained = np.empty(n_rows, dtype=np.int64)
    near = room_for_distances(n_columns)
    _find_nearest(
        frame,
        pairs,
        unit,
        some,
        rows,
        spots,
        drift,
        n_neighbors,
        manhattan,
        near,
        near.view(np.int32),
        np.empty(ABREAST, dtype=np.int64),
        np.empty(ABREAST),
        np.empty(n_neighbors + 1),
        np.empty(n_neighbors + 1, dtype=np.int64),
        ballot_for(frame, n_neighbors, gains),
        gains,
        samples,
        gained,
    )
    some, tally = some[samples[some, -1] >= 0], np.zeros((correct.shape[1], len(at)), dtype=np.int64)
    row_sample = frame.row_sample
    if original is not None:
        row_sample, samples[some] = original[row_sample], original[samples[some]]
    is_equal = np.empty(len(at), dtype=np.bool_)
    codes = codes.take(at, axis=1)  # side by side, so that they are compared as vectors
    _settle_equal(some, samples, gained, row_sample, frame.row_account, codes, is_equal, is_open, tally)
    correct += tally.T


@kernel
def _find_nearest(
    frame: Frame,
    pairs: Pairs,
    unit: float,
    some: Features,
    rows: Values,
    spots: Counts,
    drift: float,
    n_neighbors: int,
    manhattan: bool,
    near: AnyArray,
    bits: AnyArray,
    listed: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
    gains: Counts | None,
    samples: Counts,
    gained: Counts,
) -> None:
    """Find the nearest samples of some rows, and what they are worth; all arguments from `near` to `votes` are room."""
    n_columns = frame.col_sample.shape[1]
    row, row_bits = near[0, : n_columns + 1], bits[0, : n_columns + 1]
    for p in range(len(some)):
        r = some[p]
        group, here = frame.row_group[r], frame.row_sample[r]
        col_sample, col_class = frame.col_sample[group], frame.col_class[group]
        show_row(pairs, bring_row(frame, pairs, r, manhattan), unit, row)
        row_bits[n_columns] = least(row_bits, integer(0), n_columns)
        reach = float(row[n_columns])
        if n_neighbors > 1:
            n_found = nearest(row, row_bits, n_neighbors, best, best_column)
            reach = best[n_found - 1] if n_found == n_neighbors else np.inf
        n_found = nearest_by_definition(
            rows,
            spots,
            totals,  # no candidate is looked at
            here,
            col_sample,
            frame.class_start[group],
            frame.col_rank[group],
            integer(-1),  # all members are summed
            np.float32(-1.0),
            manhattan,
            near,
            bits,
            reach * (1.0 + SLOPE) + drift,
            drift,
            n_neighbors,
            listed,
            totals,
            best,
            best_column,
        )
        for k in range(n_neighbors):
            samples[r, k] = col_sample[best_column[k]] if k < n_found else integer(-1)
        gained[r] = points(vote(best_column, n_found, col_class, votes), frame.row_class[r], votes, gains)


@kernel
def _settle_equal(
    some: Features,
    samples: Counts,
    gained: Counts,
    row_sample: Counts,
    row_account: Counts,
    codes: AnyArray,
    is_equal: Mask,
    is_open: Mask,
    tally: Counts,
) -> None:
    """Count in all candidates of a row at a time."""
    lanes = index(codes.shape[1])
    for k in range(len(some)):
        r = some[k]
        here, account, gain = index(row_sample[r]), row_account[r], gained[r]
        for c in range(lanes):
            is_equal[c] = is_open[r, c]
        for n in range(samples.shape[1]):
            there = index(samples[r, n])
            for c in range(lanes):
                is_equal[c] &= (codes[here, c] == codes[there, c]) & (codes[here, c] != VARIOUS)
        for c in range(lanes):
            tally[account, c] += gain * is_equal[c]
        for c in range(lanes):
            is_open[r, c] ^= is_equal[c]

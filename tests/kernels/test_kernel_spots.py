"""Samples that coincide on the members: which they are, which rows share a result, and which rows they settle."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.criteria.neighbors.layout import layout
from sweepless.kernels.neighbors import spots as kernel
from sweepless.kernels.neighbors.spots import settle_by_spots, share_rows, spots_of

SPARSE = (np.random.default_rng(3).random((90, 12)) < 0.15) * 0.7
LABELS = np.random.default_rng(4).integers(0, 3, 90)


def allowed(frame):
    """Return, per row, which columns of its group may classify it."""
    fold = frame.col_fold[frame.row_group]
    return (fold >= 0) & (fold != frame.row_fold[:, None])


def coincide(rows):
    return (rows[:, None] == rows[None]).all(axis=2)


@pytest.mark.parametrize("n_features", [0, 1, 2, 12])
def test_samples_share_a_spot_where_all_values_are_equal(n_features):
    rows = SPARSE[:, :n_features] * np.where(np.arange(90) % 2, 1.0, -1.0)[:, None]  # -0.0 is the same value as 0.0
    spots = spots_of(rows)
    assert np.array_equal(spots[:, None] == spots, coincide(rows))


def test_different_samples_never_share_a_spot_even_if_their_keys_are_equal(monkeypatch):
    monkeypatch.setattr(kernel, "_MULTIPLIER", 0)  # now all keys are
    spots = spots_of(SPARSE)
    assert len(np.unique(spots)) > 50 and not ((spots[:, None] == spots) & ~coincide(SPARSE)).any()


@pytest.mark.parametrize("folds", [3, "loo"])
def test_a_row_stands_for_those_of_its_spot_class_and_fold_that_are_open_alike(folds):
    frame, _ = layout(folds, LABELS, LABELS, "class", 1, "data")
    spots = spots_of(SPARSE[:, :2].copy())
    is_open = np.ones((90, 4), dtype=np.bool_)
    is_open[::7, 2] = False
    keys = list(zip(spots, LABELS, frame.row_fold))
    leaders = [keys.index(key) for key in keys]
    leaders = [first if (is_open[r] == is_open[first]).all() else r for r, first in enumerate(leaders)]
    before = is_open.copy()
    shares = share_rows(frame, spots, is_open)
    assert shares.tolist() == [leaders.count(r) for r in range(90)]
    assert (np.count_nonzero(shares) < 45) == (folds == 3)  # in leave-one-out every row has other columns
    assert np.array_equal(is_open, before & (shares > 0)[:, None])


@pytest.mark.parametrize("folds", [3, 12, "loo"])
@pytest.mark.parametrize("n_neighbors", [1, 2])
@pytest.mark.parametrize("ties", ["class", "index"])
def test_what_spots_settle_is_so_by_the_definition(folds, n_neighbors, ties):
    frame, n_accounts = layout(folds, LABELS, LABELS, ties, n_neighbors, "data")
    rank = np.argsort(np.argsort(LABELS, kind="stable") if ties == "class" else np.arange(90))
    rows, columns = SPARSE[:, :4].copy(), np.ascontiguousarray(SPARSE[:, 4:].T)
    squares = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    distances = squares[frame.row_sample[:, None], frame.col_sample[frame.row_group]]
    distances = np.where(allowed(frame), distances, np.inf).astype(np.float32)
    is_open, correct = np.ones((90, 8), dtype=np.bool_), np.zeros((8, n_accounts), dtype=np.int64)
    is_open[::5, 3] = False
    before = is_open.copy()
    settle_by_spots(frame, distances, spots_of(rows), columns, 1e-14, n_neighbors, None, is_open, correct)
    settled = before & ~is_open
    assert np.count_nonzero(settled) > 0.5 * np.count_nonzero(before)
    expected = np.zeros_like(correct)
    for r, c in np.argwhere(settled):
        total = squares[r] + (columns[c] - columns[c, r]) ** 2
        others = np.flatnonzero(frame.row_fold != frame.row_fold[r])
        nearest = LABELS[others[np.lexsort((rank[others], total[others].round(9)))][:n_neighbors]]
        expected[c, frame.row_account[r]] += np.bincount(nearest).argmax() == LABELS[r]
    assert np.array_equal(correct, expected)

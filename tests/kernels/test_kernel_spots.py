"""Rows that lists leave open: who coincides, who shares a result, and what the nearest and the rivals settle."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.criteria.neighbors.distances import Distances
from sweepless.criteria.neighbors.layout import layout
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors import spots as kernel
from sweepless.kernels.neighbors.abreast import FEW, lay_abreast
from sweepless.kernels.neighbors.codes import VARIOUS, write_codes
from sweepless.kernels.neighbors.definition import OFFSET
from sweepless.kernels.neighbors.filter import count_one_by_one
from sweepless.kernels.neighbors.spots import settle_by_nearest, share_rows, spots_of

SPARSE = (np.random.default_rng(3).random((90, 12)) < 0.15) * 0.7
LABELS = np.random.default_rng(4).integers(0, 3, 90)


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


def coded(columns):
    """Return codes of the values, at places in reverse order."""
    codes = np.empty((columns.shape[1], len(columns)), dtype=np.uint8)
    places = np.arange(len(columns))
    write_codes(columns, places[::-1].copy(), places[::-1].copy(), np.empty(int(VARIOUS)), codes)
    return codes


@pytest.mark.parametrize("n_values", [1, 2, 255, 256, 400])
def test_codes_are_equal_where_values_are_unless_these_are_too_many(n_values):
    draws = np.random.default_rng(6)
    various = draws.permutation(np.arange(500) % n_values) / 7.0
    columns = np.stack([various, np.ones(500), np.where(np.arange(500) % 2, 0.0, -0.0)])
    codes = coded(columns)
    assert np.array_equal(codes[:, :1] == codes[:, 0], (various[:, None] == various) | (n_values > 255))
    assert np.all(codes[:, 0] == VARIOUS) == (n_values > 255) and np.any(codes[:, 0] == VARIOUS) == (n_values > 255)
    assert not codes[:, 1:].any()


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


def kept_distances(frame, rows, metric="euclidean"):
    """Return what kernels need of the distances between all samples, and a bound on their errors."""
    low, high = rows.min(axis=0, initial=0.0), rows.max(axis=0, initial=0.0)
    spans = high - low if metric == "manhattan" else (high - low) ** 2
    kept = Distances(frame, len(rows), metric == "manhattan", is_kept=True)
    kept.begin(np.ascontiguousarray(rows.T), (low + high) / 2, spans)
    return kept.pairs(), kept.grid[0], kept.error() + 1e-14


def winners(frame, total, rank, n_neighbors):
    """Return the class that wins each row, given the sums of all pairs of samples."""
    found = []
    for r, here in enumerate(frame.row_sample):
        others = np.flatnonzero(frame.row_fold != frame.row_fold[r])
        nearest = others[np.lexsort((rank[others], np.sqrt(total[here, others])))]
        found.append(np.bincount(LABELS[nearest[:n_neighbors]]).argmax())
    return np.array(found)


def summed(rows):
    """Sum the squares of differences in the order of the features."""
    return sum(((column[:, None] - column) ** 2 for column in rows.T), np.zeros((len(rows), len(rows))))


def ranks(ties):
    return np.argsort(np.argsort(LABELS, kind="stable") if ties == "class" else np.arange(90))


@pytest.mark.parametrize("folds", [3, 12, "loo"])
@pytest.mark.parametrize("n_neighbors", [1, 2])
@pytest.mark.parametrize("ties", ["class", "index"])
def test_what_the_nearest_settle_is_so_by_the_definition(folds, n_neighbors, ties):
    frame, n_accounts = layout(folds, LABELS, LABELS, ties, n_neighbors, "data")
    rows, columns = SPARSE[:, :4].copy(), np.ascontiguousarray(SPARSE[:, 4:].T)
    pairs, unit, drift = kept_distances(frame, rows)
    is_open, correct = np.ones((90, 8), dtype=np.bool_), np.zeros((8, n_accounts), dtype=np.int64)
    is_open[::5, 3] = False
    before, some = is_open.copy(), np.delete(np.arange(90), [7, 50])
    codes, at = coded(columns), np.arange(8)
    by_definition = rows, spots_of(rows), codes, at, None, drift, n_neighbors, False
    settle_by_nearest(frame, pairs, unit, *by_definition, some, None, is_open, correct)
    settled = before & ~is_open
    assert np.count_nonzero(settled) > 0.5 * np.count_nonzero(before)
    codes[:, 2], left, none = VARIOUS, before.copy(), np.zeros_like(correct)
    settle_by_nearest(frame, pairs, unit, *by_definition, some, None, left, none)
    assert np.array_equal(left[:, 2], before[:, 2]) and np.array_equal(np.delete(left, 2, 1), np.delete(is_open, 2, 1))
    original = np.random.default_rng(8).permutation(90)  # samples are copies of others, which have the codes
    originals, again, found = np.empty_like(codes), before.copy(), np.zeros_like(correct)
    originals[original] = coded(columns)
    by_definition = rows, spots_of(rows), originals, at, original, drift, n_neighbors, False
    settle_by_nearest(frame, pairs, unit, *by_definition, some, None, again, found)
    assert np.array_equal(again, is_open) and np.array_equal(found, correct)
    assert not settled[[7, 50]].any()
    expected = np.zeros_like(correct)
    for c, column in enumerate(columns):
        wins = winners(frame, summed(np.column_stack([rows, column])), ranks(ties), n_neighbors) == LABELS
        np.add.at(expected[c], frame.row_account, wins & settled[:, c])
    assert np.array_equal(correct, expected)


DRAWS = np.random.default_rng(5)
KINDS = {
    "sparse": SPARSE[:, :6].copy(),
    "whole numbers": DRAWS.integers(0, 4, (90, 5)).astype(float),
    "ordinary": DRAWS.normal(size=(90, 5)),
    "all equal": np.ones((90, 3)),
    "one member": SPARSE[:, :1].copy(),
    "squares that vanish": 1e-170 * DRAWS.integers(0, 3, (90, 3)),
    "scaled": DRAWS.integers(0, 40, (90, 2)) / 7.0,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folds", [3, 12, "loo"])
@pytest.mark.parametrize("n_neighbors", [1, 3])
@pytest.mark.parametrize("ties", ["class", "index"])
@pytest.mark.parametrize("is_abreast", [False, True])
def test_rivals_decide_removals_by_the_definition(kind, folds, n_neighbors, ties, is_abreast):
    frame, n_accounts = layout(folds, LABELS, LABELS, ties, n_neighbors, "data")
    draws, rows = np.random.default_rng(5), KINDS[kind]
    pairs, unit, drift = kept_distances(frame, rows)
    columns, slots = np.ascontiguousarray(rows.T), np.arange(rows.shape[1])
    middles = (columns.min(axis=1) + columns.max(axis=1)) / 2
    offsets = OFFSET * np.ptp(columns, axis=1) ** 2 + drift
    is_open, spots = draws.random((90, len(columns))) < 0.8, spots_of(rows)
    correct, shares = np.zeros((len(columns), n_accounts), dtype=np.int64), draws.integers(1, 3, 90)
    step = frame, pairs, unit, rows, spots, slots, columns, slots, middles, offsets, -1, n_neighbors, False
    beside = aligned(90 if is_abreast else 0, WIDTH)
    if is_abreast:
        lay_abreast(columns, slots, middles, aligned(WIDTH, FEW), beside, 0, len(beside))
    count_one_by_one(*step, np.flatnonzero(is_open.any(axis=1)), is_open.copy(), shares, beside, None, correct)
    expected = np.zeros_like(correct)
    for c in slots:
        wins = winners(frame, summed(np.delete(rows, c, axis=1)), ranks(ties), n_neighbors) == LABELS
        np.add.at(expected[c], frame.row_account, shares * (wins & is_open[:, c]))
    assert np.array_equal(correct, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folds", [3, 12, "loo"])
@pytest.mark.parametrize("n_neighbors", [1, 3])
@pytest.mark.parametrize("ties", ["class", "index"])
@pytest.mark.parametrize("are_spots_known", [False, True])
def test_additions_are_decided_one_by_one_by_the_definition(kind, folds, n_neighbors, ties, are_spots_known):
    frame, n_accounts = layout(folds, LABELS, LABELS, ties, n_neighbors, "data")
    rows, columns = KINDS[kind][:, :-1].copy(), np.ascontiguousarray(KINDS[kind][:, -1:].T)
    pairs, unit, drift = kept_distances(frame, rows)
    spots = spots_of(rows) if are_spots_known else np.arange(90)
    middles, offsets = (columns.min(axis=1) + columns.max(axis=1)) / 2, OFFSET * np.ptp(columns, axis=1) ** 2 + drift
    is_open, correct = np.arange(90)[:, None] % 4 > 0, np.zeros((1, n_accounts), dtype=np.int64)
    step = frame, pairs, unit, rows, spots, np.array([rows.shape[1]]), columns, np.array([0]), middles, offsets
    rest = np.flatnonzero(is_open), is_open, np.ones(90, dtype=np.int64), aligned(0, WIDTH), None, correct
    count_one_by_one(*step, 1, n_neighbors, False, *rest)
    wins = winners(frame, summed(KINDS[kind]), ranks(ties), n_neighbors) == LABELS
    assert np.array_equal(correct[0], np.bincount(frame.row_account, wins & is_open[:, 0], n_accounts))

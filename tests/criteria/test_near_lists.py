"""Distances on the grid and lists of near samples: what they claim is true after any steps, row by row."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria import KNN, Split
from sweepless.kernels._jit import kernel
from sweepless.kernels.neighbors.grid import FAR, grid_error
from sweepless.kernels.neighbors.lists import bring_list
from tests.reference.cases import knn_cases
from tests.reference.moves import neighbors, toggle

CASES = {
    name: case
    for name, case in knn_cases(seed=7, n_samples=90, n_features=10).items()
    if 1e-12 < np.ptp(case[0], axis=0).max() < 1e12
}
METRICS = ["euclidean", "manhattan"]


@kernel
def bring_lists(lists, pairs, row_sample, manhattan, room):
    for r in range(len(row_sample)):
        bring_list(lists, pairs, r, row_sample[r], manhattan, room)


def brought(cursor):
    """Return the lists of a cursor when they have followed all moves, which they do when they are looked at."""
    near, manhattan = cursor._near, cursor.criterion.metric == "manhattan"
    bring_lists(near.lists, cursor._distances.pairs(), cursor._frame.row_sample, manhattan, near._room())
    return near.lists


def walked(name, metric, folds, n_steps=16):
    """Yield a cursor after each of some steps, the terms of its members and what each may lose, pair by pair."""
    X, y = CASES[name]
    X = np.asarray(X, dtype=np.float64)
    cursor = KNN(folds=folds, metric=metric).bind(Dataset(X, y))
    draws = np.random.default_rng(3)
    for _ in range(n_steps):
        toggle(cursor, int(draws.integers(X.shape[1])))
        if draws.random() < 0.5 and cursor.members.any():
            for direction, pool in neighbors(cursor):
                cursor.peek(direction, pool)
        gaps = np.abs(X[:, None, cursor.members] - X[None, :, cursor.members])
        yield cursor, gaps if metric == "manhattan" else gaps**2


def by_pairs(cursor):
    """Yield some rows, their samples, the samples of their columns, and which of them may classify the row."""
    frame = cursor._frame
    for row in range(0, len(frame.row_sample), 7):
        group = frame.row_group[row]
        is_allowed = (frame.col_fold[group] >= 0) & (frame.col_fold[group] != frame.row_fold[row])
        yield row, frame.row_sample[row], frame.col_sample[group], is_allowed


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("folds", [3, "loo"])
def test_every_distance_is_within_its_error_and_no_term_exceeds_the_largest(name, metric, folds):
    for cursor, terms in walked(name, metric, folds):
        unit, largest_sum, units = cursor._distances.grid
        rows = np.arange(cursor._n_rows)
        shown = cursor._distances.shown(rows)
        pairs = cursor._distances.pairs()
        sums, largest = pairs.sums, pairs.largest
        for row, here, there, is_allowed in by_pairs(cursor):
            exact = terms[here, there].sum(axis=1)[is_allowed]
            found = sums[row, is_allowed] * unit
            errors = [grid_error(distance, largest_sum, units, metric == "manhattan") for distance in exact]
            assert (np.abs(found - exact) <= np.array(errors) + 1e-12 * exact).all()
            assert np.isinf(shown[row, ~is_allowed]).all()
            assert (sums[row, ~is_allowed] >= FAR).all()
            np.testing.assert_allclose(shown[row, is_allowed], found, rtol=2.0**-24)
            longest = terms[here, there].max(axis=1, initial=0.0)[is_allowed]
            assert (longest <= largest[row, is_allowed] * unit + np.array(errors)).all()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("metric", METRICS)
def test_listed_distances_are_exact_and_all_others_are_beyond_the_bounds(name, metric):
    for cursor, _ in walked(name, metric, 3):
        distances, lists = cursor._distances, brought(cursor)
        distances.shown(np.arange(cursor._n_rows))
        sums = distances.pairs().sums
        members = np.flatnonzero(cursor.members)
        columns = distances.scaled(cursor.data.columns(members), cursor._ranges(members)[0])
        for row, here, there, is_allowed in by_pairs(cursor):
            is_listed = np.isin(there, lists.sample[row][lists.distance[row] < FAR]) & is_allowed
            assert sorted(lists.distance[row][lists.distance[row] < FAR]) == sorted(sums[row, is_listed])
            others = is_allowed & ~is_listed
            assert (sums[row, others] >= lists.beyond[row, 0]).all()
            gaps = np.abs(columns[:, here, None] - columns[:, there[others]])
            terms = ((gaps if metric == "manhattan" else gaps * gaps) + np.float32(0.5)).astype(np.int32)
            assert (terms.sum(axis=0) == sums[row, others]).all()
            assert (sums[row, others] - terms >= lists.beyond[row, 1]).all()


def test_lists_survive_additions():
    draws = np.random.default_rng(9)
    cursor = KNN().bind(Dataset(draws.normal(size=(300, 60)), np.arange(300) % 2))
    cursor.jump(np.arange(30))
    cursor.peek(Direction.ADD, np.arange(30, 60))
    made = cursor._near.lists.beyond.copy()
    assert (made[:, 0] > 0).all()
    cursor.move(Direction.ADD, 31)
    cursor.peek(Direction.ADD, np.arange(32, 60))
    assert np.count_nonzero(cursor._near.lists.beyond[:, 0] == made[:, 0]) > 150  # most were not made anew
    cursor.move(Direction.REMOVE, 31)
    assert (brought(cursor).beyond[:, 1] <= made[:, 1]).all()


def test_one_row_without_kept_distances_has_the_values_of_the_definition():
    draws = np.random.default_rng(4)
    data = Dataset(draws.normal(size=(40, 6)), np.arange(40) % 2)
    folds = Split(np.arange(1, 40), np.arange(1))
    with pytest.warns(UserWarning, match="memory limit"):
        cursor = KNN(folds=folds, memory_limit=0).bind(data)
    for feature in range(3):
        cursor.move(Direction.ADD, feature)
        found = cursor.peek(Direction.ADD, np.arange(3, 6))
        assert found.tolist() == [cursor.evaluate([*range(feature + 1), other]) for other in range(3, 6)]

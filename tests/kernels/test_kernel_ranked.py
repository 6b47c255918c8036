"""The least distances of lists and of whole rows: those that a sort finds, also where values are equal or missing."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria import KNN
from sweepless.kernels._jit import index, kernel
from sweepless.kernels._lanes import every, load, store
from sweepless.kernels.neighbors.decision import nearest
from sweepless.kernels.neighbors.ranked import _in_order, _merged, begin_row, find_least, room_to_rank
from sweepless.kernels.neighbors.tied import Step
from tests.reference.knn import least_of

N_SAMPLES, LANES = 80, 16


@kernel
def find(lists, frame, pairs, r, grid, margin, beside, sign, manhattan, step, ranked, is_open):
    here = index(frame.row_sample[r])
    begin_row(lists, r, sign, *grid, manhattan, ranked)
    how = *grid, np.float32(0.0), beside, margin, sign, manhattan, False, step, ranked, is_open
    return find_least(lists, frame, pairs, r, here, index(0), *how)


@kernel
def merge(values):
    far = every(np.float32(np.inf))
    six = far, far, far, far, far, far
    for k in range(index(0), index(len(values)), index(4)):
        one, two = load(values, k, index(0)), load(values, k + index(1), index(0))
        six = _merged(
            six, _in_order(one, two, load(values, k + index(2), index(0)), load(values, k + index(3), index(0)))
        )
    for b in range(6):
        store(values, index(b), index(0), six[b])


def test_fours_are_merged_with_the_six_least():
    for seed in range(20):
        draws = np.random.default_rng(seed)
        values = np.ascontiguousarray(draws.integers(0, draws.choice([3, 1000]), size=(24, LANES)), dtype=np.float32)
        expected = np.sort(values, axis=0)[:6]
        merge(values)
        assert (values[:6] == expected).all()


@kernel
def find_nearest(near, bits, count, best, best_column):
    return nearest(near, bits, count, best, best_column)


DRAWS = np.random.default_rng(8)
DATA = {
    "far apart": DRAWS.normal(size=(N_SAMPLES, 24)),
    "whole numbers": DRAWS.integers(0, 4, size=(N_SAMPLES, 24)).astype(float),
    "all equal": np.ones((N_SAMPLES, 24)),
    "with an outlier": np.where(np.arange(N_SAMPLES)[:, None] == 3, 1e3, DRAWS.normal(size=(N_SAMPLES, 24))),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("n_neighbors", [1, 3, 5, 9])
def test_the_least_of_a_row_are_those_of_a_sort(name, sign, metric, n_neighbors):
    X, labels = DATA[name], np.arange(N_SAMPLES) % 3
    cursor = KNN(max(n_neighbors, 2), metric=metric).bind(Dataset(X + 1e-3 * np.eye(N_SAMPLES, 24), labels))
    cursor.jump(np.arange(18))
    frame, pairs, grid = cursor._frame, cursor._distances.pairs(), cursor._distances.grid
    pool = np.arange(18, 24) if sign > 0 else np.arange(6)
    cursor.peek(Direction.ADD if sign > 0 else Direction.REMOVE, pool)  # brings lists and rows up to date
    cursor._distances.shown(np.arange(N_SAMPLES))
    beside = np.repeat(cursor.data.columns(pool)[:, :, None], 3, axis=2).transpose(1, 0, 2).reshape(N_SAMPLES, -1)
    beside = np.ascontiguousarray(beside[:, :LANES], dtype=np.float32)
    columns, places = cursor.data.lend(pool)
    step = Step(*cursor._members(), columns, np.repeat(places, 3), np.zeros(18, dtype=np.int64), np.arange(N_SAMPLES))
    closed = np.zeros(LANES, dtype=np.bool_)  # so that nothing is left to the definition
    for r in range(0, N_SAMPLES, 5):
        ranked = room_to_rank(cursor._near.length, frame.col_sample.shape[1], n_neighbors, 3)
        margin, manhattan = np.zeros((2, LANES), np.float32), metric == "manhattan"
        is_far = find(cursor._near.lists, frame, pairs, r, grid, margin, beside, sign, manhattan, step, ranked, closed)
        group, here = frame.row_group[r], frame.row_sample[r]
        is_column = (frame.col_fold[group] >= 0) & (frame.col_fold[group] != frame.row_fold[r])
        there = frame.col_sample[group][is_column]
        gaps = beside[here] - beside[there]
        terms = np.abs(gaps) if manhattan else gaps * gaps
        bases = (pairs.sums[r, is_column].astype(np.float32) * np.float32(grid[0]))[:, None]
        expected, _ = least_of(bases + np.float32(sign) * terms, n_neighbors + 1)
        tolerance = 1e-5 * float(bases.max() + terms.max())
        np.testing.assert_allclose(ranked.edge[0], expected[n_neighbors - 1], atol=tolerance)
        # The next one is as far as a sort says, or what was not looked at is nearer.
        gap = expected[n_neighbors] - expected[n_neighbors - 1]
        assert (ranked.edge[1] <= gap + tolerance).all()
        ends = ranked.ends[int(is_far)]
        look = ranked.far if is_far else ranked.near
        assert [labels[look.sample[k]] for k in range(ends[-1])] == sorted(labels[look.sample[: ends[-1]]])
        noted = ranked.distance[: ends[-1]]
        assert ((noted <= ranked.edge[0]).sum(axis=0) >= n_neighbors).all()


ROWS = {
    "random": DRAWS.random(200),
    "equal in parts": DRAWS.integers(0, 4, size=131).astype(float),
    "all equal": np.ones(64),
    "few": DRAWS.random(3),
    "in order": np.arange(97.0),
    "in reverse": np.arange(97.0)[::-1],
    "mostly infinite": np.where(DRAWS.random(150) < 0.95, np.inf, DRAWS.random(150)),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("count", [1, 2, 6, 40])
def test_the_nearest_of_a_row_are_those_of_a_sort(name, count):
    row = ROWS[name].astype(np.float32)
    near = np.append(row, np.float32(0.0))
    best, best_column = np.empty(count), np.empty(count, dtype=np.int64)
    n_found = find_nearest(near, near.view(np.int32), count, best, best_column)
    least, order = least_of(row[:, None], min(count, np.count_nonzero(np.isfinite(row))))
    assert best[:n_found].tolist() == least[:, 0].tolist()
    assert best_column[:n_found].tolist() == order[:, 0].tolist()

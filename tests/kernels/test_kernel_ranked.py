"""The least distances of lists and of whole rows: those that a sort finds, also where values are equal or missing."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels._jit import index, kernel
from sweepless.kernels.neighbors.decision import nearest
from sweepless.kernels.neighbors.grid import FAR
from sweepless.kernels.neighbors.lists import Lists
from sweepless.kernels.neighbors.ranked import find_least, room_to_rank
from tests.reference.knn import least_of

N_SAMPLES, LANES, UNIT = 60, 48, 2.0**-10


@kernel
def find(lists, beside, sign, manhattan, eight_open, ranked):
    return find_least(lists, 0, index(0), UNIT, 1.0, 0.0, beside, sign, manhattan, 0, eight_open, ranked)[0]


@kernel
def find_nearest(near, bits, count, best, best_column):
    return nearest(near, bits, count, best, best_column)


def made(distances, length):
    """Return the list of one row, the sample 0, whose columns are the samples from 1 on."""
    lists = Lists(
        sample=np.zeros((1, length), np.int32),
        label=np.zeros((1, length), np.int32),
        distance=np.full((1, length), FAR, np.int32),
        largest=np.zeros((1, length), np.int32),
        ends=np.array([[0, 0, len(distances)]], np.int32),
        nearest=np.full(1, min(distances, default=FAR), np.int32),
        farthest=np.full(1, max(distances, default=0), np.int32),
        beyond=np.full((1, 2), FAR - 1, np.int32),
        made_for=np.zeros(1, np.int8),
        n_done=np.zeros(1, np.int64),
        reach=np.zeros(1, np.int32),
    )
    lists.sample[0, : len(distances)] = 1 + np.arange(len(distances))
    lists.distance[0, : len(distances)] = distances
    return lists


# Terms are whole numbers of at most 81, so that neither sums nor differences are rounded.
DRAWS = np.random.default_rng(8)
DISTANCES = {
    "far apart": DRAWS.permutation(41)[:39] * 3000,
    "near each other": 5000 + DRAWS.integers(0, 9, size=38),
    "all equal": np.full(37, 4096),
    "in order": 1000 * np.arange(1, 37),
    "one": np.array([7]),
    "none": np.empty(0, dtype=int),
    "with an outlier": np.append(DRAWS.integers(0, 50, size=33), FAR - 1),
}


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("manhattan", [False, True])
@pytest.mark.parametrize("n_neighbors", [1, 3, 5, 9])
def test_the_least_of_a_list_are_those_of_a_sort(name, sign, manhattan, n_neighbors):
    distances, length = DISTANCES[name], 40
    beside = DRAWS.integers(-4, 5, size=(N_SAMPLES, LANES)).astype(np.float32)
    beside[:, 3] = 0.0  # constant
    eight_open = np.ones((1, LANES // 8), dtype=np.uint64)
    eight_open[0, 2:4] = 0  # the second sixteen are closed
    ranked = room_to_rank(length, n_neighbors, LANES)
    n_found = find(made(distances, length), beside, sign, manhattan, eight_open, ranked)
    gaps = beside[0] - beside[1 : 1 + len(distances)]
    terms = np.abs(gaps) if manhattan else gaps * gaps
    valued = np.float32(distances[:, None] * UNIT) + np.float32(sign) * terms
    found, is_open = ranked.found[:n_found], np.repeat(eight_open[0] > 0, 8)
    assert (np.diff(found) > 0).all()  # in the order of the list
    if len(distances) < n_neighbors:
        assert (ranked.near[1, is_open] < 0).all()  # nothing is proved
        return
    least, _ = least_of(valued, n_neighbors + 1)
    assert ranked.near[0, is_open].tolist() == least[n_neighbors - 1, is_open].tolist()
    if len(distances) > n_neighbors and name != "with an outlier":  # whose distance is beyond the limit
        expected = least[n_neighbors] - least[n_neighbors - 1]
        assert ranked.near[1, is_open].tolist() == expected[is_open].tolist()
    # Of the columns that are not found, none is within the last; of the found ones, distances are noted.
    for place in np.setdiff1d(np.arange(len(distances)), found):
        assert (valued[place] >= least[n_neighbors - 1])[is_open].all()
    for place in found:
        noted = ranked.distance[place, is_open]
        is_noted = noted < 1e38
        assert noted[is_noted].tolist() == valued[place, is_open][is_noted].tolist()
        assert (valued[place] >= least[n_neighbors - 1])[is_open][~is_noted].all()


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

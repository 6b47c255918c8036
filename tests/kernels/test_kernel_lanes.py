"""Vectors of sixteen numbers: they compute what NumPy computes."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels._jit import index, kernel
from sweepless.kernels._lane_choices import (
    add_where,
    any_below,
    bits_within,
    close_where,
    collect_within,
    count_of,
    count_where,
    divided,
    lanes_within,
    largest_of,
    lowest_bit,
    no_sums,
    note_where,
    smallest_of,
    where_within,
)
from sweepless.kernels._lanes import (
    DOUBLES,
    WIDTH,
    aligned,
    every,
    greatest,
    least,
    lesser,
    load,
    minus,
    muladd,
    over,
    plus,
    prefetch,
    rounded,
    store,
    times,
    with_term,
)


@kernel
def compute(values, base, sign, manhattan, found):
    for c in range(index(0), index(values.shape[1]), index(WIDTH)):
        here, there = load(values, index(0), c), load(values, index(1), c)
        to_there = with_term(every(base), sign, here, there, manhattan)
        store(found, index(0), c, to_there)
        store(found, index(1), c, least(to_there, here))
        store(found, index(2), c, greatest(to_there, here))
        found[3, c // index(WIDTH)] = largest_of(here)


@kernel
def compare(values, one, number, found, totals):
    for c in range(index(0), index(values.shape[1]), index(WIDTH)):
        here, there = load(values, index(0), c), load(values, index(1), c)
        store(found, index(0), c, minus(here, there))
        store(found, index(1), c, add_where(every(one), one, here, there))
        store(totals, index(0), c, add_where(no_sums(), number, here, there))
        store(totals, index(2), c, divided(add_where(no_sums(), number, here, there), 7.0))
        totals[1, c // index(WIDTH)] = any_below(here, there)


@pytest.mark.parametrize("manhattan", [False, True])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_vectors_compute_as_numpy_does(manhattan, sign):
    draws = np.random.default_rng(4)
    values = np.array(draws.integers(-9, 9, size=(2, 3 * WIDTH)), dtype=np.float32)  # whole numbers: nothing is rounded
    values[0, :2] = np.inf, 0.0
    values[1, :2] = 1.0, 0.0
    found = np.empty((4, 3 * WIDTH), dtype=np.float32)
    compute(values, np.float32(3.0), np.float32(sign), manhattan, found)
    differences = values[0] - values[1]
    expected = 3.0 + sign * (np.abs(differences) if manhattan else differences**2)
    assert found[0].tolist() == expected.tolist()
    assert found[1].tolist() == np.minimum(expected, values[0]).tolist()
    assert found[2].tolist() == np.maximum(expected, values[0]).tolist()
    assert found[3, :3].tolist() == values[0].reshape(3, WIDTH).max(axis=1).tolist()


@kernel
def choose(numbers, bound, places, found, words):
    n_found, far, bounds = index(0), every(np.int32(0)), every(bound)
    least_of, most_of = every(np.int32(99)), every(np.int32(-99))
    for k in range(index(0), index(numbers.shape[1]), index(WIDTH)):
        one, other = load(numbers, index(0), k), load(numbers, index(1), k)
        n_found = collect_within(places, n_found, k, one, bounds)
        store(found, index(0), k, where_within(one, other, one, far))
        store(found, index(1), k, plus(one, other))
        store(found, index(2), k, minus(one, other))
        least_of, most_of = least(least_of, one), greatest(most_of, other)
    words[0], words[1] = smallest_of(least_of), largest_of(most_of)
    return n_found


@pytest.mark.parametrize("bound", [-10, -1, 0, 7, 10])
def test_vectors_of_whole_numbers_choose_as_numpy_does(bound):
    one, other = numbers = np.array(np.random.default_rng(5).integers(-9, 9, size=(2, 192)), dtype=np.int32)
    places, found, ends = np.empty((1, 192 + WIDTH), np.int32), np.empty((3, 192), np.int32), np.empty(2, np.int32)
    n_found = choose(numbers, np.int32(bound), places, found, ends)
    assert places[0, :n_found].tolist() == np.flatnonzero(one <= bound).tolist()
    assert found.tolist() == [np.where(one <= other, one, 0).tolist(), (one + other).tolist(), (one - other).tolist()]
    assert ends.tolist() == [one.min(), other.max()]


@kernel
def collect(numbers, bound, found):
    n_found, n_counted = 0, index(0)
    for first in range(index(0), index(numbers.shape[1]), index(64)):
        word = bits_within(numbers, first, bound)
        n_counted += count_of(word)
        while word != 0:
            found[n_found] = first + lowest_bit(word)
            n_found += 1
            word &= word - index(1)
    return n_found, n_counted


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@pytest.mark.parametrize("bound", [-10, -1, 0, 7, 10])
def test_bits_are_the_numbers_within_a_bound(bound, dtype):
    numbers = np.random.default_rng(5).integers(-9, 9, size=(1, 192)).astype(dtype)
    found = np.empty(192, dtype=np.int64)
    n_found, n_counted = collect(numbers, dtype(bound), found)
    assert found[:n_found].tolist() == np.flatnonzero(numbers[0] <= bound).tolist()
    assert n_counted == n_found


@kernel
def tell(values, limits, places, is_open, tally, found):
    for c in range(index(0), index(values.shape[1]), index(WIDTH)):
        one, other = load(values, index(0), c), load(values, index(1), c)
        store(found, index(0), c, rounded(one))
        closed = close_where(is_open, index(1), c, one, other)
        note_where(tally, index(0), c, closed, rounded(other))
        count_where(tally, index(1), c, closed, one, load(limits, index(0), c))
        word = lanes_within(one, other)
        while word != 0:
            places[0, c + lowest_bit(word)] += 1
            word &= word - index(1)


def test_masks_are_those_of_numpy():
    draws = np.random.default_rng(6)
    values = np.array(draws.integers(0, 9, size=(2, 3 * WIDTH)) / 4, dtype=np.float32)
    limits, is_open = np.array(draws.integers(0, 3, size=(1, 3 * WIDTH)), dtype=np.float32), draws.random((2, 48)) < 0.7
    before, tally = is_open.copy(), np.zeros((2, 3 * WIDTH), np.int32)
    places, found = np.zeros((2, 1, 3 * WIDTH), np.int32)
    tell(values, limits, places, is_open, tally, found)
    one, other = values
    assert found[0].tolist() == np.floor(one + 0.5).astype(int).tolist()
    assert places[0].tolist() == (one <= other).astype(int).tolist()
    closed = before[1] & (one > other)
    assert is_open.tolist() == [before[0].tolist(), (before[1] & ~closed).tolist()]
    noted = np.where(closed, np.floor(other + 0.5), 0)
    assert tally.tolist() == [noted.astype(int).tolist(), (closed & (one < limits[0])).astype(int).tolist()]


@kernel
def vote(values, is_open, votes, tally):
    here, there = load(values, index(0), index(0)), load(values, index(1), index(0))
    closed = close_where(is_open, index(0), index(0), there, here)
    won = add_where(every(np.int32(1)), np.int32(2), here, there)
    store(votes, index(0), index(0), won)
    count_where(tally, index(0), index(0), closed, every(np.int32(1)), won)


def test_whole_votes_are_those_of_numpy():
    values = np.array(np.random.default_rng(7).integers(0, 4, size=(2, WIDTH)), dtype=np.float32)
    votes, tally = np.zeros((2, 1, WIDTH), np.int32)
    vote(values, np.ones((1, WIDTH), np.bool_), votes, tally)
    assert votes[0].tolist() == np.where(values[0] <= values[1], 3, 1).tolist()
    assert tally[0].tolist() == (values[1] > values[0]).astype(int).tolist()


@kernel
def compute_doubles(values, factor, found):
    for c in range(index(0), index(values.shape[1]), index(DOUBLES)):
        prefetch(values, index(1), c)
        here, there = load(values, index(0), c), load(values, index(1), c)
        store(found, index(0), c, muladd(every(factor), here, there))
        store(found, index(1), c, times(here, there))
        store(found, index(2), c, over(here, there))
        store(found, index(3), c, lesser(here, there))


def test_vectors_of_doubles_compute_as_numpy_does():
    values = np.random.default_rng(4).integers(-9, 9, size=(2, 3 * DOUBLES)).astype(float)
    values[:, :3] = [[np.inf, 0.0, np.nan], [1.0, 0.0, 2.0]]
    found = np.empty((4, 3 * DOUBLES))
    here, there = values
    with np.errstate(all="ignore"):
        compute_doubles(values, 3.0, found)
        expected = [3.0 * here + there, here * there, here / there, np.where(here < there, here, there)]
    np.testing.assert_array_equal(found, expected)


def test_vectors_compare_as_numpy_does_and_add_doubles_as_doubles():
    values = np.random.default_rng(5).integers(-3, 3, size=(2, 3 * WIDTH)).astype(np.float32)
    values[:, :WIDTH] = 1.0  # nothing is below
    values[0, WIDTH : 2 * WIDTH], values[1, WIDTH : 2 * WIDTH] = 2.0, 1.0
    values[0, 2 * WIDTH - 1] = 0.0  # but one
    found, totals = np.empty((2, 3 * WIDTH), dtype=np.float32), np.zeros((3, 3 * WIDTH))
    compare(values, np.float32(1.0), 1.0 / 3.0, found, totals)
    is_within = values[0] <= values[1]
    assert found[0].tolist() == (values[0] - values[1]).tolist()
    assert found[1].tolist() == (1.0 + is_within).tolist()
    assert totals[0].tolist() == np.where(is_within, 1.0 / 3.0, 0.0).tolist()
    assert totals[1, :3].tolist() == [0.0, 1.0, float((values[0] < values[1])[2 * WIDTH :].any())]
    assert totals[2].tolist() == (totals[0] / 7.0).tolist()


def test_no_vector_of_an_aligned_array_lies_in_two_lines_of_the_cache():
    arrays = [aligned(n_rows, WIDTH * n_vectors) for n_rows in (1, 7) for n_vectors in (1, 3)]
    assert all(array.ctypes.data % 64 == 0 and array.flags.c_contiguous for array in arrays)
    assert [array.shape for array in arrays] == [(1, 16), (1, 48), (7, 16), (7, 48)]

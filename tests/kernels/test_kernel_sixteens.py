"""Sixteen whole numbers at once: they are sorted, compared and divided as NumPy does it."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels._eights import POWER_ERROR, eights, greater, two_to
from sweepless.kernels._jit import index, kernel
from sweepless.kernels._lane_choices import no_sums
from sweepless.kernels._lanes import DOUBLES, WIDTH, aligned, every, load, minus, plus, store
from sweepless.kernels._sixteens import (
    add_shares,
    below,
    equal,
    joined,
    rows_for,
    shared,
    sort_lanes,
    transpose,
    unlike,
)

GREATEST = 2**31 - 1


@kernel
def sort_pad(pad, n_rows):
    sort_lanes(pad, n_rows)


@pytest.mark.parametrize("n_rows", [1, 2, 15, 16, 17, 31, 33, 64, 65, 127, 129, 200, 255, 256, 257, 400, 513, 700])
@pytest.mark.parametrize("kind", ["any", "tied", "falling", "rising"])
def test_lanes_are_sorted(n_rows, kind):
    values = np.random.default_rng(n_rows).integers(-(2**31), 2**31, size=(n_rows, WIDTH))
    if kind == "tied":
        values %= 3
    elif kind != "any":
        values = np.sort(values, axis=0)[:: 1 if kind == "rising" else -1]
    pad = aligned(rows_for(n_rows), WIDTH, np.int32)
    pad[:n_rows], pad[n_rows:] = values, GREATEST
    sort_pad(pad, n_rows)
    np.testing.assert_array_equal(pad[:n_rows], np.sort(values, axis=0))
    assert (pad[n_rows:] == GREATEST).all()


def test_pads_have_room_for_whole_steps():
    assert [rows_for(n) for n in (1, 16, 17, 200, 256, 257, 513)] == [16, 16, 32, 256, 256, 512, 1024]
    assert [eights(n) for n in (1, 8, 9)] == [8, 8, 16]


@kernel
def turn(lines, first, pad):
    for lane in range(index(0), index(lines.shape[1]), index(WIDTH)):
        transpose(lines, index(first), lane, pad, lane, index(0))


def test_lines_become_lanes():
    lines = np.arange(20 * 48, dtype=np.int32).reshape(20, 48)
    pad = aligned(48, WIDTH, np.int32)
    turn(lines, 3, pad)
    np.testing.assert_array_equal(pad, lines[3 : 3 + WIDTH].T)


@kernel
def compute(numbers, found):
    one, other = load(numbers, index(0), index(0)), load(numbers, index(1), index(0))
    store(found, index(0), index(0), plus(one, other))
    store(found, index(1), index(0), minus(one, other))
    store(found, index(2), index(0), shared(one, other))
    store(found, index(3), index(0), joined(one, other))
    store(found, index(4), index(0), unlike(one, other))
    store(found, index(5), index(0), below(one, other))
    store(found, index(6), index(0), equal(one, every(np.int32(7))))


def test_whole_numbers_compute_as_numpy_does():
    numbers = np.random.default_rng(0).integers(-(2**31), 2**31, size=(2, WIDTH)).astype(np.int32)
    numbers[:, :3] = [[7, -1, 5], [7, 1, -5]]
    found, (one, other) = np.empty((7, WIDTH), dtype=np.int32), numbers
    with np.errstate(over="ignore"):
        compute(numbers, found)
        expected = [one + other, one - other, one & other, one | other, one ^ other]
    expected += [-(one.view(np.uint32) < other.view(np.uint32)).astype(np.int32), -(one == 7).astype(np.int32)]
    np.testing.assert_array_equal(found, expected)


@kernel
def divide(counts, whole, sums):
    for row in range(index(len(counts))):
        count = load(counts, row, index(0))
        is_even = equal(shared(count, every(np.int32(1))), every(np.int32(0)))
        store(sums, row, index(0), add_shares(no_sums(), count, float(whole), 1.0 / float(whole), is_even))


def test_shares_are_rounded_as_quotients_are():
    counts = np.arange(1024, dtype=np.int32).reshape(-1, WIDTH)
    sums = np.empty(counts.shape)
    for whole in (*range(1, 1100), 4095, 2**16 - 1):
        divide(counts, whole, sums)
        np.testing.assert_array_equal(sums, np.where(counts % 2 == 0, counts / whole, 0.0))


@kernel
def raise_two(values, found):
    for i in range(index(0), index(values.shape[1]), index(DOUBLES)):
        x = load(values, index(0), i)
        store(found, index(0), i, two_to(x))
        store(found, index(1), i, plus(x, every(1.0)))
        store(found, index(2), i, minus(every(1.0), x))
        store(found, index(3), i, greater(x, every(-3.0)))


def test_powers_of_two_are_nearly_right():
    values = -np.abs(np.random.default_rng(1).normal(size=(1, 4096))) * np.repeat([1e-9, 1.0, 30.0, 250.0], 1024)
    values[0, :3] = 0.0, -0.5, -1000.0
    values = np.concatenate([values, -values], axis=1)
    found = np.empty((4, 8192))
    raise_two(values, found)
    np.testing.assert_allclose(found[0], np.exp2(values[0]), rtol=POWER_ERROR, atol=0.0)
    np.testing.assert_array_equal(found[1:], [values[0] + 1.0, 1.0 - values[0], np.maximum(values[0], -3.0)])

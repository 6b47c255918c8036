"""Directions: where a step leads."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.direction import Direction


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("width", [1, 2, 3])
def test_moved_members_are_those_of_the_applied_mask(direction, width):
    rng = np.random.default_rng(width)
    for size in (0, 1, 3, 6, 9):
        members = np.zeros(9, dtype=np.bool_)
        members[rng.permutation(9)[:size]] = True
        pool = direction.pool(members)
        if len(pool) < width:
            continue
        for _ in range(20):
            features = rng.permutation(pool)[:width]
            here = np.flatnonzero(members)
            expected = np.flatnonzero(direction.applied(members, features))
            moved = direction.moved(here, features)
            assert moved.tolist() == expected.tolist() and moved.dtype == expected.dtype


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("place", [0, 2, 3])
def test_one_place_is_spliced_like_several(shape, place):
    array = np.arange(float(np.prod(shape))).reshape(shape)
    item = -1.0 - np.arange(float(np.prod(shape[:-1]))).reshape(shape[:-1])
    added, removed = Direction.ADD.spliced(array, place, item), Direction.REMOVE.spliced(array, place, item)
    np.testing.assert_array_equal(added, np.insert(array, place, item, axis=-1))
    np.testing.assert_array_equal(added, Direction.ADD.spliced(array, np.array([place]), item[..., None]))
    np.testing.assert_array_equal(removed, Direction.REMOVE.spliced(array, np.array([place]), item))
    assert added.dtype == removed.dtype == array.dtype and added.flags.c_contiguous

"""Paths kept from sweep to sweep: updated within their bounds, made anew when these get loose, never in a value."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless.criteria.linear import kept, kept_paths
from sweepless.criteria.linear.ridge import RidgeCriterion
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.linear import explained_away
from tests.reference.moves import require_peeks_by_definition, wander

CASES = knn_cases(n_features=12)


def classes(n_samples=50, n_features=40, n_classes=3):
    draws = np.random.default_rng(7)
    y = np.arange(n_samples) % n_classes
    return draws.normal(size=(n_samples, n_features)) + draws.normal(size=(n_classes, n_features))[y], y


def swept(cursor):
    """Return what the cursor keeps after a sweep: (sample, feature)."""
    cursor.peek(Direction.ADD, Direction.ADD.pool(cursor.members))
    return np.concatenate(list(cursor._kept._paths), axis=1)[:, : cursor.n_features]


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("gap", [1, 4])
def test_errors_stay_within_the_drift(alpha, gap):
    X, y = classes()
    cursor = RidgeCriterion(alpha, "loo", "class_r2").bind(Dataset(X, y))
    swept(cursor)
    cursor._kept.forget = lambda: pytest.fail("ordinary data need no new paths")
    for step in wander(cursor, 60, np.random.default_rng(8)):
        if step % gap == 0:
            errors = swept(cursor) - explained_away(X, np.flatnonzero(cursor.members), alpha)
            assert 0.0 < cursor._kept.drift < 1e-8
            assert np.sqrt(np.sum(errors**2, axis=0)).max() < cursor._kept.drift + 1e-14


@pytest.mark.parametrize(("case", "alpha"), list(product(CASES, (0.0, 1.0))))
def test_every_sweep_of_a_walk_is_the_definition(case, alpha):
    X, y = CASES[case]
    cursor = RidgeCriterion(alpha, "loo", "class_r2").bind(Dataset(X, y))
    for step in wander(cursor, 12, np.random.default_rng(9)):
        if step % 3:
            require_peeks_by_definition(cursor)


@pytest.mark.parametrize("score", ["r2", "mse"])
def test_numbers_are_swept_as_well(score):
    X, y = classes()
    check_criterion(RidgeCriterion(1.0, "loo", score), Dataset(X, X[:, 0] + y), n_rounds=3)


def test_a_feature_that_brings_nothing_is_decided_by_the_definition():
    """Without a penalty the complement of a duplicate is below its own error, which no sweep may take for a value."""
    X, y = classes(n_features=12)
    X[:, 6:] = 3.0 * X[:, :6] - 1.0
    cursor = RidgeCriterion(0.0, "loo", "class_r2").bind(Dataset(X, y))
    cursor.jump(np.arange(6))
    require_peeks_by_definition(cursor)
    cursor.move(Direction.REMOVE, 2)
    require_peeks_by_definition(cursor)


def test_sweeps_leave_few_neighbours_to_others(monkeypatch):
    X, y = classes(n_samples=120, n_features=200)
    cursor = RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y))
    n_left = []
    neighbors = cursor._neighbors
    monkeypatch.setattr(cursor, "_neighbors", lambda way, some: n_left.append(len(some)) or neighbors(way, some))
    for feature in range(50):
        cursor.move(Direction.ADD, feature)
        cursor.peek(Direction.ADD, np.arange(feature + 1, 200))
    assert sum(n_left) < 40


def test_parts_of_a_sweep_are_looked_up(monkeypatch):
    X, y = classes()
    whole, parts = (RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y)) for _ in range(2))
    sweeps = []
    sweep = kept_paths.sweep_paths
    monkeypatch.setattr(kept_paths, "sweep_paths", lambda *given: sweeps.append(1) or sweep(*given))
    for feature in (3, 30):
        for cursor in (whole, parts):
            cursor.move(Direction.ADD, feature)
        pool = Direction.ADD.pool(whole.members)
        together = [parts.peek(Direction.ADD, part) for part in np.array_split(pool, 20)]
        assert np.concatenate(together).tolist() == whole.peek(Direction.ADD, pool).tolist()
    assert len(sweeps) == 4


def test_few_candidates_keep_nothing_and_neither_do_large_data(monkeypatch):
    X, y = classes()
    few, large = (RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y)) for _ in range(2))
    few.peek(Direction.ADD, np.arange(1))
    assert few._kept is None
    monkeypatch.setattr(kept, "MOST_BYTES", 16 * X.size - 1)
    values = large.peek(Direction.ADD, np.arange(40))
    assert large._kept is None
    monkeypatch.undo()
    assert few.peek(Direction.ADD, np.arange(40)).tolist() == values.tolist()
    assert few._kept is not None


def test_a_jump_and_many_moves_make_paths_anew():
    X, y = classes()
    cursor = RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y))
    cursor.jump(np.arange(10))
    for moved in (lambda: cursor.jump(np.arange(20, 30)), lambda: list(wander(cursor, 40, np.random.default_rng(1)))):
        swept(cursor)
        assert cursor._kept.is_known
        moved()
        assert not cursor._kept.is_known
        require_peeks_by_definition(cursor)


def test_loose_bounds_make_paths_anew():
    X, y = classes()
    cursor = RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y))
    swept(cursor)
    cursor.move(Direction.ADD, 5)
    cursor._kept.drift = 1e-3
    values = cursor.peek(Direction.ADD, np.arange(6, 40))
    assert not cursor._kept.is_known
    other = RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y))
    other.move(Direction.ADD, 5)
    assert values.tolist() == other.peek(Direction.ADD, np.arange(6, 40)).tolist()


def test_parts_of_batches_are_swept_at_once_where_the_last_ones_were(monkeypatch):
    X, y = classes()
    cursor = RidgeCriterion(5.0, "loo", "class_r2").bind(Dataset(X, y))
    pool, sweeps, sweep = np.arange(10, 40), [], kept_paths.sweep_paths
    monkeypatch.setattr(kept_paths, "sweep_paths", lambda *given: sweeps.append(1) or sweep(*given))
    for feature, n_asked, n_sweeps in [(0, 1, 0), (1, 30, 1), (2, 1, 2), (3, 1, 2)]:  # in vain only once
        cursor.move(Direction.ADD, feature)
        cursor.peek(Direction.REMOVE, np.flatnonzero(cursor.members)[:feature])
        cursor.peek(Direction.ADD, pool[:n_asked])
        assert len(sweeps) == n_sweeps

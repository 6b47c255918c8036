"""Candidates of nearest neighbors that are laid out already are not laid out again, and never taken for others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import sweepless as sw
from sweepless import Direction
from sweepless.criteria import KNN
from sweepless.criteria.neighbors import near

N_FEATURES = 160  # of which a block holds 128


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    return sw.Dataset(rng.normal(size=(90, N_FEATURES)), rng.integers(0, 3, size=90))


@pytest.fixture
def laid(monkeypatch):
    """The places of the candidates in each block that is laid out."""
    found, lay_abreast = [], near.lay_abreast

    def noted(columns, places, *rest):
        found.append(places.copy())
        lay_abreast(columns, places, *rest)

    monkeypatch.setattr(near, "lay_abreast", noted)
    return found


def valued(cursor, candidates):
    values = cursor.peek(Direction.ADD, candidates)
    members = np.flatnonzero(cursor.members)
    assert values.tolist() == [cursor.evaluate(np.sort(np.append(members, each))) for each in candidates]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_neighbors", [1, 4])
def test_a_sweep_lays_out_what_the_last_one_has_not(data, laid, n_jobs, n_neighbors):
    cursor, n_laid = KNN(n_neighbors, n_jobs=n_jobs).bind(data), []
    for feature in range(1, 12):
        cursor.move(Direction.ADD, feature)
        valued(cursor, np.flatnonzero(~cursor.members))
        n_laid.append(len(laid))
    assert n_laid[0] in range(2, 2 * n_jobs + 1, 2)  # by each thread that came in time
    if n_jobs == 1:
        assert n_laid == [2] * 8 + [4] * 3  # 151 of 159 are too few


def test_others_are_laid_out_anew(data, laid):
    cursor = KNN().bind(data)
    cursor.move(Direction.ADD, 7)
    everyone = np.flatnonzero(~cursor.members)
    for candidates in (everyone, everyone[::-1], everyone[:20], everyone[3:], np.delete(everyone, [40, 90]), everyone):
        valued(cursor, candidates)
    assert [len(places) for places in laid] == [128, 31, 20, 128, 28, 128, 29, 128, 31]


def test_candidates_that_were_changed_in_place_are_others(data):
    cursor = KNN().bind(data)
    cursor.move(Direction.ADD, 7)
    for candidates in (np.arange(20, 100), np.array([90, 30, 70])):
        for _ in range(3):
            valued(cursor, candidates)
            candidates += 3


def test_what_was_interrupted_is_laid_out_again(data, laid, monkeypatch):
    cursor, lay_abreast = KNN().bind(data), near.lay_abreast
    cursor.move(Direction.ADD, 7)
    everyone = np.flatnonzero(~cursor.members)

    def interrupted(columns, places, *rest):
        if len(places) < 128:
            raise KeyboardInterrupt
        lay_abreast(columns, places, *rest)

    valued(cursor, everyone[::-1])
    with monkeypatch.context() as patch:
        patch.setattr(near, "lay_abreast", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cursor.peek(Direction.ADD, everyone)
    valued(cursor, everyone)
    assert [len(places) for places in laid] == [128, 31, 128, 128, 31]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_would_take_too_much_memory_is_laid_out_part_by_part(data, laid, monkeypatch, n_jobs):
    monkeypatch.setattr(near, "_KEPT", 90 * 158 * n_jobs)
    monkeypatch.setattr("sweepless.criteria.neighbors.counted._BLOCK_VALUES", 90 * 128)
    cursor, n_laid = KNN(n_jobs=n_jobs).bind(data), []
    for feature in range(3):  # two sweeps of 159 and 158 features, and one that is laid out already
        cursor.move(Direction.ADD, feature)
        valued(cursor, np.flatnonzero(~cursor.members))
        n_laid.append(len(laid))
    assert [len(places) for places in laid[: n_laid[0]]] in (
        [128, 31],
        [128, 128, 31],
        [128, 31, 31],
        [128, 128, 31, 31],
    )
    if n_jobs == 1:
        assert n_laid == [2, 4, 4]


def test_less_of_sparse_data_stays_laid_out(data, laid, monkeypatch):
    monkeypatch.setattr(near, "_KEPT_OF_OTHERS", 90 * 100)
    monkeypatch.setattr("sweepless.criteria.neighbors.counted._BLOCK_VALUES", 90 * 128)
    for X, n_laid in ((data.X, 2), (sparse.csc_array(data.X), 6)):
        laid.clear()
        cursor = KNN().bind(sw.Dataset(X, data.codes))
        for feature in range(3):
            cursor.move(Direction.ADD, feature)
            valued(cursor, np.flatnonzero(~cursor.members))
        assert len(laid) == n_laid

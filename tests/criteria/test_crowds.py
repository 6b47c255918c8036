"""Samples that coincide: what is known of them is found once, and spares lists, but never changes a value."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction
from sweepless._shelf import Shelf
from sweepless.criteria import KNN
from sweepless.criteria.neighbors import crowds, near
from sweepless.kernels.neighbors.codes import VARIOUS

DRAWS = np.random.default_rng(0)
WORDS = (DRAWS.random((150, 30)) < 0.02) * DRAWS.integers(1, 4, (150, 30)).astype(float)
ORDINARY = DRAWS.normal(size=(150, 30))
Y = DRAWS.integers(0, 2, 150)


def test_features_keep_their_places_until_there_is_no_room():
    shelf = Shelf(10, 4)

    def places(*features):
        return [part.tolist() for part in shelf.places(np.array(features))]

    assert places(7, 2) == [[0, 1], [True, True]]
    assert places(2, 5) == [[1, 2], [False, True]]
    assert places(7, 1, 9) == [[0, 1, 2], [True, True, True]]  # all were forgotten
    assert places(2) == [[3], [True]]
    assert Shelf(3, 100).n_places == 3


@pytest.mark.parametrize("n_kept", [1, 4, 30])
def test_codes_are_those_of_the_candidates_whatever_is_kept(n_kept, monkeypatch):
    monkeypatch.setattr(crowds, "_MOST_CODES", 150 * n_kept)
    kept = crowds.Crowds(Dataset(WORDS, Y))
    for some in ([3, 1], [1, 2, 5], [7], [4, 3, 2, 1, 0], [1]):
        columns, places = WORDS.T.copy(), np.array(some)
        codes, at = kept._coded(places, columns, places)
        for place, feature in zip(at, some, strict=True):
            assert np.array_equal(codes[:, [place]] == codes[:, place], columns[feature][:, None] == columns[feature])
            assert not np.any(codes[:, place] == VARIOUS)


def test_spots_are_found_once_for_a_subset(monkeypatch):
    asked, find = [], crowds.spots_of
    monkeypatch.setattr(crowds, "spots_of", lambda rows: asked.append(rows) or find(rows))
    cursor = KNN().bind(Dataset(WORDS, Y))
    cursor.jump([0, 1])
    for _ in range(3):
        cursor.peek(Direction.ADD, np.arange(2, 20))
        cursor.peek(Direction.REMOVE, np.arange(2))
    assert len(asked) == 1
    cursor.move(Direction.ADD, 2)
    cursor.peek(Direction.ADD, np.arange(3, 20))
    assert len(asked) == 2


@pytest.mark.parametrize(("X", "is_listed"), [(WORDS, False), (ORDINARY, True)])
def test_lists_are_looked_at_only_where_the_nearest_settle_little(X, is_listed, monkeypatch):
    listed, settle = [], near.NearLists.settle
    monkeypatch.setattr(near.NearLists, "settle", lambda self, *args: listed.append(1) or settle(self, *args))
    cursor = KNN().bind(Dataset(X, Y))
    cursor.jump([0, 1, 2])
    cursor.peek(Direction.ADD, np.arange(3, 30))
    assert bool(listed) == is_listed


@pytest.mark.parametrize("n_neighbors", [1, 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_crowd_among_samples_that_differ_changes_no_value(n_neighbors, n_jobs):
    mixed = ORDINARY.copy()
    mixed[:60, :8] = WORDS[:60, :8]  # the nearest settle some, lists others, and the rest goes one by one
    mixed[:40, 8:] = mixed[0, 8:]
    data = Dataset(mixed, Y)
    cursor = KNN(n_neighbors, n_jobs=n_jobs).bind(data)
    for feature in (0, 9, 4, 20, 6):
        cursor.move(Direction.ADD, feature)
        for direction in (Direction.ADD, Direction.REMOVE)[: 1 + (cursor.size > 1)]:
            candidates = np.flatnonzero(cursor.members != direction.adds)
            expected = [cursor.evaluate(np.flatnonzero(direction.applied(cursor.members, c))) for c in candidates]
            assert cursor.peek(direction, candidates).tolist() == expected


def test_the_nearest_are_asked_first_as_long_as_they_settle_most(monkeypatch):
    asked, orders = [], []
    for name, owner in (("nearest", crowds.Crowd), ("lists", near.NearLists)):
        plain = owner.settle
        monkeypatch.setattr(owner, "settle", lambda self, *a, _n=name, _do=plain: asked.append(_n) or _do(self, *a))
    few = np.hstack([WORDS, np.where(DRAWS.random((150, 30)) < 0.5, 1.0, 0.0)]) / 3  # lists would settle whole numbers
    cursor = KNN().bind(Dataset(few, Y))
    cursor.jump([0, 1, 2])
    for candidates in (np.arange(3, 30), np.arange(30, 60), np.arange(30, 60), np.arange(3, 30), np.arange(3, 30)):
        cursor.peek(Direction.ADD, candidates)
        orders.append(asked.copy())
        asked.clear()
    assert orders == [["nearest"], ["nearest", "lists"], ["lists", "nearest"], ["lists", "nearest"], ["nearest"]]


def test_copies_share_the_spots_and_codes_of_their_originals():
    members = np.array([2, 5, 7])
    copied = crowds.CopiedCrowds(Dataset(WORDS, Y), 3, lambda: members)
    scaled = np.vstack([(WORDS - k) / (2.0 + k) for k in range(3)])
    spots, plain = copied.spots(scaled[:, members].copy()), crowds.spots_of(WORDS[:, members].copy())
    assert spots.tolist() == np.tile(plain, 3).tolist() and copied.is_crowded
    codes, at = copied._coded(np.array([4, 1]), scaled.T.copy(), np.array([4, 1]))
    assert codes.shape[0] == 150 and copied.original.tolist() == np.tile(np.arange(150), 3).tolist()
    for place, feature in zip(at, (4, 1), strict=True):
        assert np.array_equal(codes[:, [place]] == codes[:, place], WORDS[:, [feature]] == WORDS[:, feature])


def test_lists_are_not_asked_about_removals_where_they_proved_little_in_a_crowd():
    kept = crowds.Crowds(Dataset(WORDS, Y))
    kept.note_lists(3, 100, 100)
    assert kept.has_lists(3)  # nothing is known of a crowd
    kept.spots(WORDS[:, :3].copy())
    kept.note_lists(3, 75, 100)
    assert kept.has_lists(3)
    kept.note_lists(3, 76, 100)
    assert [kept.has_lists(size) for size in (2, 3, 4)] == [False, False, True]
    kept.spots(ORDINARY[:, :3].copy())
    assert kept.has_lists(2)  # nobody coincides any more


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_removals_without_lists_have_the_same_values(n_jobs, monkeypatch):
    listed, settle = [], near.NearLists.settle
    monkeypatch.setattr(near.NearLists, "settle", lambda self, *args: listed.append(1) or settle(self, *args))
    cursor = KNN(ties="index", n_jobs=n_jobs).bind(Dataset(WORDS, Y))
    cursor.jump(np.arange(9))
    cursor.peek(Direction.ADD, np.arange(9, 30))  # finds the crowd
    for k in range(3):
        listed.clear()
        members = np.flatnonzero(cursor.members)
        expected = [cursor.evaluate(np.delete(members, c)) for c in range(len(members))]
        assert cursor.peek(Direction.REMOVE, members).tolist() == expected
        assert bool(listed) == (k == 0)
        cursor.move(Direction.REMOVE, int(members[k]))
